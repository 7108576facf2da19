/*
 * What kernels are written in: CUDA C, of which a double of the driver compiles the same text with gcc, behind a shim that comes before this.
 * A kernel takes one structure by value. Memory of the device is an address there, and reached by GLOBAL, which says how many elements are.
 * Products and sums are each rounded, as on the host: kernels are compiled without contraction (-fmad=false).
 */
#ifndef DEVICE_H
#define DEVICE_H

#include <stdint.h>

#ifdef __CUDACC__
#define KERNEL(name, arguments) extern "C" __global__ void name(arguments a)
#define DEVICE static __device__ __forceinline__
#define GLOBAL(type, address, count) ((type *)(address))

DEVICE float half_to_float(uint16_t half)
{
    float number;
    asm("cvt.f32.f16 %0, %1;" : "=f"(number) : "h"(half));
    return number;
}

DEVICE uint16_t float_to_half(float number)
{
    uint16_t half;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(number));
    return half;
}
#endif

enum { INFINITY_BITS = 0x7F800000, MAGNITUDE_BITS = 0x7FFFFFFF };

DEVICE float bfloat_to_float(uint16_t upper)
{
    return __uint_as_float((uint32_t)upper << 16);
}

/* To the nearest, ties to even. A NaN stays one: a carry could reach its sign, and truncation leave an infinity. */
DEVICE uint16_t float_to_bfloat(float number)
{
    uint32_t bits = __float_as_uint(number);
    if ((bits & MAGNITUDE_BITS) > INFINITY_BITS) {
        return (uint16_t)(bits >> 16 | 0x40);
    }
    return (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

#endif
