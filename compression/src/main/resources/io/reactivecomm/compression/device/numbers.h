/*
 * What codecs read and write on a device: numbers, four that lie side by side at a time, and the words of an encoding. Where they are aligned that is one
 * access; an encoding, a part and a slice may begin anywhere.
 */
#ifndef NUMBERS_H
#define NUMBERS_H

#include "device.h"

/* The kinds of elements. */
enum { FLOAT16, BFLOAT16, FLOAT32 };

enum { THREADS = 256, SIDE_BY_SIDE = 4, OF_A_THREAD = 2 * SIDE_BY_SIDE, TILE = THREADS * OF_A_THREAD };

#define NAN_OF_DOUBLE 0x7FF8000000000000ULL
#define INFINITY_OF_DOUBLE 0x7FF0000000000000ULL
#define NAN_OF_FLOAT 0x7FC00000U

DEVICE uint64_t lower(uint64_t one, uint64_t other)
{
    return one < other ? one : other;
}

DEVICE float number_of(uint64_t kind, uint32_t half)
{
    return kind == FLOAT16 ? half_to_float((uint16_t)half) : bfloat_to_float((uint16_t)half);
}

DEVICE uint16_t half_of(uint64_t kind, float number)
{
    return kind == FLOAT16 ? float_to_half(number) : float_to_bfloat(number);
}

/* Elements first to first + 4; those from the end on are zeros, and are not read. */
DEVICE void load_floats(uint64_t address, uint64_t first, uint64_t end, float *numbers)
{
    const float *from = GLOBAL(const float, address, end);
    if (first + SIDE_BY_SIDE <= end && (address + first * 4) % 16 == 0) {
        uint4 word = *(const uint4 *)(from + first);
        numbers[0] = __uint_as_float(word.x);
        numbers[1] = __uint_as_float(word.y);
        numbers[2] = __uint_as_float(word.z);
        numbers[3] = __uint_as_float(word.w);
        return;
    }
    _Pragma("unroll")
    for (int k = 0; k < SIDE_BY_SIDE; k++) {
        numbers[k] = first + k < end ? from[first + k] : 0;
    }
}

DEVICE void load_halves(uint64_t kind, uint64_t address, uint64_t first, uint64_t end, float *numbers)
{
    const uint16_t *from = GLOBAL(const uint16_t, address, end);
    if (first + SIDE_BY_SIDE <= end && (address + first * 2) % 8 == 0) {
        uint2 word = *(const uint2 *)(from + first);
        numbers[0] = number_of(kind, word.x & 0xFFFF);
        numbers[1] = number_of(kind, word.x >> 16);
        numbers[2] = number_of(kind, word.y & 0xFFFF);
        numbers[3] = number_of(kind, word.y >> 16);
        return;
    }
    _Pragma("unroll")
    for (int k = 0; k < SIDE_BY_SIDE; k++) {
        numbers[k] = first + k < end ? number_of(kind, from[first + k]) : 0;
    }
}

DEVICE void load_four(uint64_t kind, uint64_t address, uint64_t first, uint64_t end, float *numbers)
{
    if (kind == FLOAT32) {
        load_floats(address, first, end, numbers);
    } else {
        load_halves(kind, address, first, end, numbers);
    }
}

/* As it is loaded: nothing is written from the end on. */
DEVICE void store_floats(uint64_t address, uint64_t first, uint64_t end, const float *numbers)
{
    float *to = GLOBAL(float, address, end);
    if (first + SIDE_BY_SIDE <= end && (address + first * 4) % 16 == 0) {
        uint4 word = {__float_as_uint(numbers[0]), __float_as_uint(numbers[1]), __float_as_uint(numbers[2]), __float_as_uint(numbers[3])};
        *(uint4 *)(to + first) = word;
        return;
    }
    _Pragma("unroll")
    for (int k = 0; k < SIDE_BY_SIDE; k++) {
        if (first + k < end) {
            to[first + k] = numbers[k];
        }
    }
}

DEVICE void store_halves(uint64_t kind, uint64_t address, uint64_t first, uint64_t end, const float *numbers)
{
    uint16_t *to = GLOBAL(uint16_t, address, end);
    if (first + SIDE_BY_SIDE <= end && (address + first * 2) % 8 == 0) {
        uint2 word = {half_of(kind, numbers[0]) | (uint32_t)half_of(kind, numbers[1]) << 16,
            half_of(kind, numbers[2]) | (uint32_t)half_of(kind, numbers[3]) << 16};
        *(uint2 *)(to + first) = word;
        return;
    }
    _Pragma("unroll")
    for (int k = 0; k < SIDE_BY_SIDE; k++) {
        if (first + k < end) {
            to[first + k] = half_of(kind, numbers[k]);
        }
    }
}

DEVICE void store_four(uint64_t kind, uint64_t address, uint64_t first, uint64_t end, const float *numbers)
{
    if (kind == FLOAT32) {
        store_floats(address, first, end, numbers);
    } else {
        store_halves(kind, address, first, end, numbers);
    }
}

/* Writes decoded numbers, or adds them: a sum of 16 bits is rounded once. */
DEVICE void decoded_four(uint64_t kind, uint64_t address, uint64_t first, uint64_t end, uint64_t adds, const float *decoded)
{
    float numbers[SIDE_BY_SIDE];
    if (!adds) {
        store_four(kind, address, first, end, decoded);
        return;
    }
    load_four(kind, address, first, end, numbers);
    _Pragma("unroll")
    for (int k = 0; k < SIDE_BY_SIDE; k++) {
        numbers[k] += decoded[k];
    }
    store_four(kind, address, first, end, numbers);
}

/* What is encoded: values, as many zeros as are wanted, and what was lost before if there is such an address, which is added. */
struct source {
    uint64_t values, value_count, kind, before;
};

DEVICE void load_sum(const struct source *source, uint64_t first, uint64_t end, float *numbers)
{
    load_four(source->kind, source->values, first, lower(end, source->value_count), numbers);
    if (source->before != 0) {
        float lost[SIDE_BY_SIDE];
        load_floats(source->before, first, end, lost);
        _Pragma("unroll")
        for (int k = 0; k < SIDE_BY_SIDE; k++) {
            numbers[k] += lost[k];
        }
    }
}

/* Up to four bytes as a number, little endian. */
DEVICE uint32_t load_word(const uint8_t *from, uint32_t bytes)
{
    uint32_t word = 0;
    if (bytes == 4 && (uintptr_t)from % 4 == 0) {
        return *(const uint32_t *)from;
    }
    for (uint32_t k = 0; k < bytes; k++) {
        word |= (uint32_t)from[k] << 8 * k;
    }
    return word;
}

DEVICE void store_word(uint8_t *to, uint32_t word, uint32_t bytes)
{
    if (bytes == 4 && (uintptr_t)to % 4 == 0) {
        *(uint32_t *)to = word;
        return;
    }
    for (uint32_t k = 0; k < bytes; k++) {
        to[k] = (uint8_t)(word >> 8 * k);
    }
}

enum { HEADER_BYTES = 8 };

/* The header of an encoding, a double; every NaN becomes the same. */
DEVICE void store_header(uint8_t *to, float number)
{
    uint64_t bits = number != number ? NAN_OF_DOUBLE : (uint64_t)__double_as_longlong(number);
    store_word(to, (uint32_t)bits, 4);
    store_word(to + 4, (uint32_t)(bits >> 32), 4);
}

DEVICE uint64_t load_header(const uint8_t *from)
{
    return load_word(from, 4) | (uint64_t)load_word(from + 4, 4) << 32;
}

#endif
