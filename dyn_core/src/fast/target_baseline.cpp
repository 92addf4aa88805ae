// The kernels for every processor of the architecture: SSE2 on x86-64, NEON on aarch64.
#define DYN_SIMD_TARGET baseline
#define DYN_SIMD_NAME "baseline"
#define DYN_SIMD_LANES 2
#include "kernels.hpp"
#include "packet_kernels.hpp"
