/*
 * A list of moves within a device, in one launch: each row copies elements, or converts and scales them. So a bucket is packed, and unpacked, by one
 * kernel. A block of threads does a tile of one row.
 */
#include "device.h"

enum { MOST_ROWS = 80, THREADS = 256, OF_A_THREAD = 8, TILE = THREADS * OF_A_THREAD };

/* The kinds of elements: by width alone where they are copied. */
enum { WIDTH_1, WIDTH_2, WIDTH_4, WIDTH_8, FLOAT16, BFLOAT16, FLOAT32, FLOAT64 };

struct row {
    uint64_t from, to, count;
    /* The number of the first block that does this row. */
    uint64_t first;
    double factor;
    int32_t from_kind, to_kind;
};

struct moves {
    struct row rows[MOST_ROWS];
    int32_t count;
};

#define EACH(statement) \
    _Pragma("unroll") \
    for (int k = 0; k < OF_A_THREAD; k++) { \
        uint64_t i = begin + (uint64_t)k * THREADS; \
        if (i < row->count) { \
            statement; \
        } \
    }

#define COPY(type) \
    { \
        const type *from = GLOBAL(const type, row->from, row->count); \
        type *to = GLOBAL(type, row->to, row->count); \
        EACH(to[i] = from[i]) \
    }

DEVICE void copy(const struct row *row, uint64_t begin)
{
    switch (row->from_kind) {
        case WIDTH_1:
            COPY(uint8_t)
            break;
        case WIDTH_2:
            COPY(uint16_t)
            break;
        case WIDTH_4:
            COPY(uint32_t)
            break;
        default:
            COPY(uint64_t)
            break;
    }
}

#define LOAD(type, convert) \
    { \
        const type *from = GLOBAL(const type, row->from, row->count); \
        EACH(numbers[k] = convert(from[i])) \
    }

#define STORE(type, convert) \
    { \
        type *to = GLOBAL(type, row->to, row->count); \
        EACH(to[i] = convert(numbers[k])) \
    }

/* The product is rounded once in float, and then to the target. */
DEVICE void scale_floats(const struct row *row, uint64_t begin)
{
    float numbers[OF_A_THREAD], factor = (float)row->factor;
    switch (row->from_kind) {
        case FLOAT16:
            LOAD(uint16_t, half_to_float)
            break;
        case BFLOAT16:
            LOAD(uint16_t, bfloat_to_float)
            break;
        default:
            LOAD(float, (float))
            break;
    }
    EACH(numbers[k] *= factor)
    switch (row->to_kind) {
        case FLOAT16:
            STORE(uint16_t, float_to_half)
            break;
        case BFLOAT16:
            STORE(uint16_t, float_to_bfloat)
            break;
        default:
            STORE(float, (float))
            break;
    }
}

#define HALF_TO_DOUBLE(half) ((double)half_to_float(half))
#define BFLOAT_TO_DOUBLE(upper) ((double)bfloat_to_float(upper))
#define DOUBLE_TO_HALF(number) float_to_half((float)(number))
#define DOUBLE_TO_BFLOAT(number) float_to_bfloat((float)(number))

/* Where one side is a double the product is rounded in double; a 16-bit type is reached by way of float. */
DEVICE void scale_doubles(const struct row *row, uint64_t begin)
{
    double numbers[OF_A_THREAD];
    switch (row->from_kind) {
        case FLOAT16:
            LOAD(uint16_t, HALF_TO_DOUBLE)
            break;
        case BFLOAT16:
            LOAD(uint16_t, BFLOAT_TO_DOUBLE)
            break;
        case FLOAT32:
            LOAD(float, (double))
            break;
        default:
            LOAD(double, (double))
            break;
    }
    EACH(numbers[k] *= row->factor)
    switch (row->to_kind) {
        case FLOAT16:
            STORE(uint16_t, DOUBLE_TO_HALF)
            break;
        case BFLOAT16:
            STORE(uint16_t, DOUBLE_TO_BFLOAT)
            break;
        case FLOAT32:
            STORE(float, (float))
            break;
        default:
            STORE(double, (double))
            break;
    }
}

KERNEL(move_rows, struct moves)
{
    int low = 0, high = a.count - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (a.rows[middle].first <= blockIdx.x) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    const struct row *row = &a.rows[low];
    uint64_t begin = (blockIdx.x - row->first) * TILE + threadIdx.x;
    if (row->from_kind < FLOAT16) {
        copy(row, begin);
    } else if (row->from_kind == FLOAT64 || row->to_kind == FLOAT64) {
        scale_doubles(row, begin);
    } else {
        scale_floats(row, begin);
    }
}
