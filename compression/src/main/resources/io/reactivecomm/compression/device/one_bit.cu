/*
 * One bit for each number and one scale for all, as OneBit has it. The squares are added up in chunks of a fixed number of elements, then the chunks, each
 * in an order that no GPU changes: threads take their numbers from the first on, and their sums are added in the order of threads.
 */
#include "numbers.h"

enum { CHUNK = 4 * TILE, ROWS = 16 };

/* The sum of all threads' own, for the first thread. */
DEVICE double sum_of_block(double *sums, double own)
{
    double sum = 0;
    sums[threadIdx.x] = own;
    __syncthreads();
    if (threadIdx.x < ROWS) {
        for (int k = threadIdx.x; k < THREADS; k += ROWS) {
            sum += sums[k];
        }
        sums[threadIdx.x] = sum;
    }
    __syncthreads();
    sum = 0;
    if (threadIdx.x == 0) {
        for (int k = 0; k < ROWS; k++) {
            sum += sums[k];
        }
    }
    return sum;
}

struct squares {
    struct source source;
    uint64_t count, sums;
};

KERNEL(one_bit_squares, struct squares)
{
    __shared__ double sums[THREADS];
    uint64_t begin = (uint64_t)blockIdx.x * CHUNK, end = lower(begin + CHUNK, a.count);
    double sum = 0;
    for (uint64_t first = begin + threadIdx.x * SIDE_BY_SIDE; first < end; first += THREADS * SIDE_BY_SIDE) {
        float numbers[SIDE_BY_SIDE];
        load_sum(&a.source, first, end, numbers);
        _Pragma("unroll")
        for (int k = 0; k < SIDE_BY_SIDE; k++) {
            sum += (double)numbers[k] * numbers[k];
        }
    }
    sum = sum_of_block(sums, sum);
    if (threadIdx.x == 0) {
        GLOBAL(double, a.sums, gridDim.x)[blockIdx.x] = sum;
    }
}

struct scale {
    uint64_t sums, sum_count, count, encoded, parts, part_bytes;
};

/* One block: the root of the mean, rounded once, at the head of every part. */
KERNEL(one_bit_scale, struct scale)
{
    __shared__ double sums[THREADS];
    __shared__ float scale;
    const double *chunks = GLOBAL(const double, a.sums, a.sum_count);
    uint8_t *encoded = GLOBAL(uint8_t, a.encoded, a.parts * a.part_bytes);
    double sum = 0;
    for (uint64_t i = threadIdx.x; i < a.sum_count; i += THREADS) {
        sum += chunks[i];
    }
    sum = sum_of_block(sums, sum);
    if (threadIdx.x == 0) {
        scale = (float)(sqrt(sum) / sqrt((double)a.count));
    }
    __syncthreads();
    for (uint64_t part = threadIdx.x; part < a.parts; part += THREADS) {
        store_header(encoded + part * a.part_bytes, scale);
    }
}

struct pack {
    struct source source;
    uint64_t encoded, part_bytes, part_count, part_blocks, after;
};

/* What is zero or more is 1, and so is a NaN. */
DEVICE uint32_t signs_of(const float *numbers)
{
    uint32_t bits = 0;
    _Pragma("unroll")
    for (int k = 0; k < OF_A_THREAD; k++) {
        bits |= (numbers[k] < 0 ? 0U : 1U) << (7 - k);
    }
    return bits;
}

/* The scale, negated where the bit is 0. */
DEVICE float signed_scale(float scale, uint32_t bits, int k)
{
    return __uint_as_float(__float_as_uint(scale) ^ (~bits << (24 + k) & 0x80000000U));
}

/* Each thread makes a byte. */
KERNEL(one_bit_pack, struct pack)
{
    uint64_t part = blockIdx.x / a.part_blocks, i = (blockIdx.x % a.part_blocks * THREADS + threadIdx.x) * OF_A_THREAD;
    if (i >= a.part_count) {
        return;
    }
    uint64_t end = (part + 1) * a.part_count, first = part * a.part_count + i;
    uint8_t *encoded = GLOBAL(uint8_t, a.encoded + part * a.part_bytes, a.part_bytes);
    float numbers[OF_A_THREAD];
    load_sum(&a.source, first, end, numbers);
    load_sum(&a.source, first + SIDE_BY_SIDE, end, numbers + SIDE_BY_SIDE);
    uint32_t bits = signs_of(numbers) & 0xFF00U >> lower(end - first, OF_A_THREAD);
    encoded[HEADER_BYTES + i / OF_A_THREAD] = (uint8_t)bits;
    if (a.after != 0) {
        float scale = (float)__longlong_as_double((long long)load_header(encoded));
        _Pragma("unroll")
        for (int k = 0; k < OF_A_THREAD; k++) {
            numbers[k] -= signed_scale(scale, bits, k);
        }
        store_floats(a.after, first, end, numbers);
        store_floats(a.after, first + SIDE_BY_SIDE, end, numbers + SIDE_BY_SIDE);
    }
}

struct unpack {
    uint64_t encoded, part_bytes, numbers, count, kind, adds;
    float weight;
};

/* A scale that is negative, which no encoder writes, is read as a NaN. */
DEVICE float scale_at(const uint8_t *encoded)
{
    uint64_t bits = load_header(encoded);
    return (float)__longlong_as_double((long long)(bits >> 63 != 0 ? NAN_OF_DOUBLE : bits));
}

/* Each thread reads a byte. */
KERNEL(one_bit_unpack, struct unpack)
{
    uint64_t first = ((uint64_t)blockIdx.x * THREADS + threadIdx.x) * OF_A_THREAD;
    if (first >= a.count) {
        return;
    }
    const uint8_t *encoded = GLOBAL(const uint8_t, a.encoded, a.part_bytes);
    float scale = scale_at(encoded) * a.weight, decoded[OF_A_THREAD];
    uint32_t bits = encoded[HEADER_BYTES + first / OF_A_THREAD];
    _Pragma("unroll")
    for (int k = 0; k < OF_A_THREAD; k++) {
        decoded[k] = signed_scale(scale, bits, k);
    }
    decoded_four(a.kind, a.numbers, first, a.count, a.adds, decoded);
    decoded_four(a.kind, a.numbers, first + SIDE_BY_SIDE, a.count, a.adds, decoded + SIDE_BY_SIDE);
}
