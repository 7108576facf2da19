/*
 * Blocks quantised to bytes or half bytes, as BlockQuantization has it, in the same order of operations. Some threads, a power of two, have a block of
 * numbers: each has four of its first numbers and four of its second ones. Of half bytes those are its halves, so that a thread makes whole bytes.
 */
#include "numbers.h"

enum { BYTE_LEVELS = 127, ROW = 16 };

#define SMALL 0x1p-64f
#define RAISE 0x1p64f
/* Added and taken away again, it rounds what is below 2^22 to an integer, ties to even. */
#define INTEGERS 0x1.8p23f

struct geometry {
    /* Elements of a block, threads that have one, and 127 or 7. */
    uint32_t block, lanes, levels;
    /* Blocks of threads for a part. */
    uint32_t part_blocks;
    uint64_t part_count, part_bytes;
};

/* The numbers of a thread, all as elements of its part. */
struct place {
    uint64_t first, second, first_end, end;
    /* Of its block in the part's bytes, and of its first and second bytes. */
    uint64_t header, first_byte, second_byte;
    uint32_t lane;
};

DEVICE int to_bytes(const struct geometry *of)
{
    return of->levels == BYTE_LEVELS;
}

/* One of a block that there is not has an end before its first number. */
DEVICE struct place place_of(const struct geometry *of)
{
    struct place place;
    uint64_t block = (uint64_t)(blockIdx.x % of->part_blocks) * (THREADS / of->lanes) + threadIdx.x / of->lanes;
    uint64_t begin = block * of->block, end = lower(begin + of->block, of->part_count), count = end > begin ? end - begin : 0;
    uint64_t half = to_bytes(of) ? of->lanes * SIDE_BY_SIDE : (count + 1) / 2;
    place.lane = threadIdx.x % of->lanes;
    place.first = begin + place.lane * SIDE_BY_SIDE;
    place.first_end = lower(begin + half, end);
    place.second = begin + half + place.lane * SIDE_BY_SIDE;
    place.end = end;
    place.header = block * (HEADER_BYTES + (to_bytes(of) ? of->block : (of->block + 1) / 2));
    place.first_byte = place.header + HEADER_BYTES + place.lane * SIDE_BY_SIDE;
    place.second_byte = place.first_byte + half;
    return place;
}

DEVICE uint32_t bytes_of(uint64_t first, uint64_t end)
{
    return first < end ? (uint32_t)lower(end - first, SIDE_BY_SIDE) : 0;
}

/* The largest of what the threads of a block of numbers have. */
DEVICE uint32_t largest_of(uint32_t *shared, uint32_t own, uint32_t lanes)
{
    uint32_t row = lanes < ROW ? lanes : ROW, first = threadIdx.x / lanes * lanes, largest = own;
    shared[threadIdx.x] = own;
    __syncthreads();
    if (threadIdx.x % row == 0) {
        for (uint32_t k = 1; k < row; k++) {
            largest = shared[threadIdx.x + k] > largest ? shared[threadIdx.x + k] : largest;
        }
        shared[threadIdx.x] = largest;
    }
    __syncthreads();
    for (uint32_t k = 0; k < lanes; k += row) {
        largest = shared[first + k] > largest ? shared[first + k] : largest;
    }
    return largest;
}

DEVICE uint32_t largest_magnitude(const float *numbers)
{
    uint32_t largest = 0;
    _Pragma("unroll")
    for (int k = 0; k < OF_A_THREAD; k++) {
        uint32_t magnitude = __float_as_uint(numbers[k]) & MAGNITUDE_BITS;
        largest = magnitude > largest ? magnitude : largest;
    }
    return largest;
}

/* The largest magnitude is finite and greater than zero. */
DEVICE void quantize(const float *numbers, float largest, int32_t levels, int32_t *quotients)
{
    float raise = largest < SMALL ? RAISE : 1, scale = (float)levels / (largest * raise);
    _Pragma("unroll")
    for (int k = 0; k < OF_A_THREAD; k++) {
        quotients[k] = (int32_t)(numbers[k] * raise * scale + INTEGERS - INTEGERS);
    }
}

DEVICE void dequantize(const int32_t *quotients, float by, int32_t levels, float *decoded)
{
    float share = 1.0f / (float)levels;
    _Pragma("unroll")
    for (int k = 0; k < OF_A_THREAD; k++) {
        decoded[k] = (float)quotients[k] * share * by;
    }
}

DEVICE uint32_t word_of(const int32_t *quotients, uint32_t mask)
{
    uint32_t word = 0;
    _Pragma("unroll")
    for (int k = 0; k < SIDE_BY_SIDE; k++) {
        word |= ((uint32_t)quotients[k] & mask) << 8 * k;
    }
    return word;
}

/* Numbers that are not there are zeros, and so are their half bytes. */
DEVICE void store_quotients(const struct geometry *of, const struct place *place, uint8_t *encoded, const int32_t *quotients)
{
    uint32_t bytes = bytes_of(place->first, place->first_end);
    if (to_bytes(of)) {
        store_word(encoded + place->first_byte, word_of(quotients, 0xFF), bytes);
        store_word(encoded + place->second_byte, word_of(quotients + SIDE_BY_SIDE, 0xFF), bytes_of(place->second, place->end));
    } else {
        store_word(encoded + place->first_byte, word_of(quotients, 0xF) | word_of(quotients + SIDE_BY_SIDE, 0xF) << 4, bytes);
    }
}

DEVICE void load_quotients(const struct geometry *of, const struct place *place, const uint8_t *encoded, int32_t *quotients)
{
    uint32_t first = load_word(encoded + place->first_byte, bytes_of(place->first, place->first_end)), second = 0;
    if (to_bytes(of)) {
        second = load_word(encoded + place->second_byte, bytes_of(place->second, place->end));
    }
    _Pragma("unroll")
    for (int k = 0; k < SIDE_BY_SIDE; k++) {
        if (to_bytes(of)) {
            quotients[k] = (int8_t)(first >> 8 * k);
            quotients[SIDE_BY_SIDE + k] = (int8_t)(second >> 8 * k);
        } else {
            quotients[k] = (int8_t)(first >> 8 * k << 4) >> 4;
            quotients[SIDE_BY_SIDE + k] = (int8_t)(first >> 8 * k) >> 4;
        }
    }
}

struct encoding {
    struct source source;
    uint64_t encoded, after;
    struct geometry geometry;
};

KERNEL(blocks_quantize, struct encoding)
{
    __shared__ uint32_t magnitudes[THREADS];
    const struct geometry *of = &a.geometry;
    struct place place = place_of(of);
    uint64_t part = blockIdx.x / of->part_blocks, at = part * of->part_count;
    float numbers[OF_A_THREAD];
    load_sum(&a.source, at + place.first, at + place.first_end, numbers);
    load_sum(&a.source, at + place.second, at + place.end, numbers + SIDE_BY_SIDE);
    uint32_t bits = largest_of(magnitudes, largest_magnitude(numbers), of->lanes);
    if (place.first >= place.first_end) {
        return;
    }
    uint8_t *encoded = GLOBAL(uint8_t, a.encoded + part * of->part_bytes, of->part_bytes);
    float largest = __uint_as_float(bits < INFINITY_BITS ? bits : NAN_OF_FLOAT), decoded[OF_A_THREAD];
    int32_t quotients[OF_A_THREAD] = {0};
    if (largest > 0) {
        quantize(numbers, largest, (int32_t)of->levels, quotients);
    }
    if (place.lane == 0) {
        store_header(encoded + place.header, largest);
    }
    store_quotients(of, &place, encoded, quotients);
    if (a.after != 0) {
        dequantize(quotients, largest, (int32_t)of->levels, decoded);
        _Pragma("unroll")
        for (int k = 0; k < OF_A_THREAD; k++) {
            numbers[k] -= decoded[k];
        }
        store_floats(a.after, at + place.first, at + place.first_end, numbers);
        store_floats(a.after, at + place.second, at + place.end, numbers + SIDE_BY_SIDE);
    }
}

struct decoding {
    uint64_t encoded, numbers, kind, adds;
    struct geometry geometry;
    float weight;
};

/* A magnitude that is negative or not finite is read as a NaN. */
KERNEL(blocks_dequantize, struct decoding)
{
    const struct geometry *of = &a.geometry;
    struct place place = place_of(of);
    if (place.first >= place.first_end) {
        return;
    }
    const uint8_t *encoded = GLOBAL(const uint8_t, a.encoded, of->part_bytes);
    uint64_t bits = load_header(encoded + place.header);
    float largest = (float)__longlong_as_double((long long)(bits < INFINITY_OF_DOUBLE ? bits : NAN_OF_DOUBLE)), decoded[OF_A_THREAD];
    int32_t quotients[OF_A_THREAD];
    load_quotients(of, &place, encoded, quotients);
    dequantize(quotients, largest * a.weight, (int32_t)of->levels, decoded);
    decoded_four(a.kind, a.numbers, place.first, place.first_end, a.adds, decoded);
    decoded_four(a.kind, a.numbers, place.second, place.end, a.adds, decoded + SIDE_BY_SIDE);
}
