// The kernels for AVX-512. CMakeLists.txt gives this file the compiler options for it.
#if defined(__x86_64__)
#define DYN_SIMD_TARGET avx512
#define DYN_SIMD_NAME "avx512"
#define DYN_SIMD_LANES 8
#include "kernels.hpp"
#include "packet_kernels.hpp"
#endif
