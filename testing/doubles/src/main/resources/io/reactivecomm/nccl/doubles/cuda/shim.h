/*
 * What comes before a kernel's CUDA C when gcc compiles it into this double: the threads of a block take turns on the thread of their stream, each
 * until it ends or comes to a barrier. So a race between threads is not seen here; an access beyond the elements that GLOBAL names is.
 */
#ifndef SHIM_H
#define SHIM_H

#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>

typedef struct {
    unsigned x;
} shim_index;

extern __thread shim_index threadIdx, blockIdx, blockDim, gridDim;

void shim_register(const char *name, void (*run)(const void *arguments), size_t bytes);
void *shim_reach(uint64_t address, uint64_t bytes);
void shim_barrier(void);

#define KERNEL(name, arguments) \
    static void name(arguments a); \
    static void shim_run_##name(const void *packed) \
    { \
        arguments a; \
        memcpy(&a, packed, sizeof a); \
        name(a); \
    } \
    __attribute__((constructor)) static void shim_register_##name(void) { shim_register(#name, shim_run_##name, sizeof(arguments)); } \
    static void name(arguments a)

#define DEVICE static inline __attribute__((unused))
#define GLOBAL(type, address, count) ((type *)shim_reach(address, (count) * sizeof(type)))
#define __shared__ static __thread
#define __syncthreads() shim_barrier()

/* Words of several numbers; those of a device are aligned, and here they need not be. */
typedef struct {
    uint32_t x, y;
} __attribute__((may_alias)) uint2;

typedef struct {
    uint32_t x, y, z, w;
} __attribute__((may_alias)) uint4;

static inline __attribute__((unused)) float __uint_as_float(uint32_t bits)
{
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static inline __attribute__((unused)) uint32_t __float_as_uint(float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static inline __attribute__((unused)) double __longlong_as_double(long long bits)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static inline __attribute__((unused)) long long __double_as_longlong(double number)
{
    long long bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static inline __attribute__((unused)) uint32_t atomicAdd(uint32_t *at, uint32_t more)
{
    uint32_t before = *at;
    *at += more;
    return before;
}

static inline __attribute__((unused)) float half_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, magnitude = half & 0x7FFF;
    if (magnitude >= 0x7C00) {
        return __uint_as_float(sign | 0x7F800000 | (magnitude & 0x3FF) << 13);
    }
    return __uint_as_float(sign | __float_as_uint((float)ldexp(magnitude < 0x400 ? magnitude : 0x400 | (magnitude & 0x3FF),
        magnitude < 0x400 ? -24 : (int)(magnitude >> 10) - 25)));
}

/* To the nearest, ties to even: what a half has no bit for is rounded off by an addition. */
static inline __attribute__((unused)) uint16_t float_to_half(float number)
{
    uint32_t bits = __float_as_uint(number), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7FFFFFFF;
    if (magnitude > 0x7F800000) {
        return (uint16_t)(sign | 0x7E00 | (magnitude >> 13 & 0x3FF));
    }
    if (magnitude >= 0x477FF000) {
        return (uint16_t)(sign | 0x7C00);
    }
    if (magnitude < 0x38800000) {
        return (uint16_t)(sign | (uint32_t)nearbyint(ldexp(__uint_as_float(magnitude), 24)));
    }
    return (uint16_t)(sign | (magnitude - 0x38000000 + 0xFFF + (magnitude >> 13 & 1)) >> 13);
}

#endif
