// The kernels for AVX2 and FMA. CMakeLists.txt gives this file the compiler options for them.
#if defined(__x86_64__)
#define DYN_SIMD_TARGET avx2
#define DYN_SIMD_NAME "avx2"
#define DYN_SIMD_LANES 4
#include "kernels.hpp"
#include "packet_kernels.hpp"
#endif
