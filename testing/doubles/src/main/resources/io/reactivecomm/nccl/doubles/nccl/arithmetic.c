/* The arithmetic of the reductions. */
#include "dialect.h"
#include <string.h>

typedef struct {
    uint16_t bits;
} bfloat16;

int width_of(enum type type) {
    static const int widths[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
    return widths[type];
}

static float of_bfloat16(bfloat16 value) {
    uint32_t bits = (uint32_t) value.bits << 16;
    float result;
    memcpy(&result, &bits, sizeof(result));
    return result;
}

/* The nearest, of two the even one. */
static bfloat16 to_bfloat16(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    uint32_t rounded = value == value ? (bits + 0x7fff + (bits >> 16 & 1)) >> 16 : bits >> 16 | 0x40;
    return (bfloat16) {(uint16_t) rounded};
}

#define SAME(value) (value)
#define TO_HALF(value) ((_Float16) (value))

#define EACH(statement)                                                                                                                              \
    for (int r = 1; r < ranks; r++) {                                                                                                                \
        next = IN(((const element *) parts[r])[i]);                                                                                                  \
        statement;                                                                                                                                   \
    }                                                                                                                                                \
    break;

#define FOLD(name, element_type, accumulator)                                                                                                        \
    static void fold_##name(enum op op, void *to, const char *const *parts, int ranks, size_t count) {                                               \
        typedef element_type element;                                                                                                                \
        for (size_t i = 0; i < count; i++) {                                                                                                         \
            accumulator all = IN(((const element *) parts[0])[i]), next;                                                                             \
            switch (op) {                                                                                                                            \
                case O_PROD: EACH(all *= next)                                                                                                       \
                case O_MAX: EACH(all = next > all ? next : all)                                                                                      \
                case O_MIN: EACH(all = next < all ? next : all)                                                                                      \
                default: EACH(all += next)                                                                                                           \
            }                                                                                                                                        \
            ((element *) to)[i] = OUT(op == O_AVG ? all / (accumulator) ranks : all);                                                                \
        }                                                                                                                                            \
    }                                                                                                                                                \
    static void scale_##name(void *elements, const void *factor, size_t count) {                                                                     \
        element_type *each = elements;                                                                                                               \
        accumulator by = IN(*(const element_type *) factor);                                                                                         \
        for (size_t i = 0; i < count; i++) {                                                                                                         \
            each[i] = OUT(IN(each[i]) * by);                                                                                                         \
        }                                                                                                                                            \
    }

#define IN SAME
#define OUT SAME
FOLD(int8, int8_t, int8_t)
FOLD(uint8, uint8_t, uint8_t)
FOLD(int32, int32_t, int32_t)
FOLD(uint32, uint32_t, uint32_t)
FOLD(int64, int64_t, int64_t)
FOLD(uint64, uint64_t, uint64_t)
FOLD(float32, float, float)
FOLD(float64, double, double)
#undef OUT
#define OUT TO_HALF
FOLD(float16, _Float16, float)
#undef IN
#undef OUT
#define IN of_bfloat16
#define OUT to_bfloat16
FOLD(bfloat16, bfloat16, float)

void fold(enum op op, enum type type, void *to, const char *const *parts, int ranks, size_t count) {
    static void (*const folds[])(enum op, void *, const char *const *, int, size_t) = {fold_int8, fold_uint8, fold_int32, fold_uint32, fold_int64,
            fold_uint64, fold_float16, fold_float32, fold_float64, fold_bfloat16};
    folds[type](op, to, parts, ranks, count);
}

void scale(enum type type, void *elements, const void *factor, size_t count) {
    static void (*const scales[])(void *, const void *, size_t) = {scale_int8, scale_uint8, scale_int32, scale_uint32, scale_int64, scale_uint64,
            scale_float16, scale_float32, scale_float64, scale_bfloat16};
    scales[type](elements, factor, count);
}
