#include "arithmetic.h"

int width_of(enum type type) {
    static const int widths[] = {1, 1, 1, 2, 4, 4, 8, 8, 4, 8};
    return widths[type];
}

int is_defined(enum op op, enum type type) {
    int is_bitwise = op == O_BAND || op == O_BOR || op == O_BXOR;
    int is_logical = op == O_LAND || op == O_LOR || op == O_LXOR;
    if (type == T_BYTE) {
        return is_bitwise;
    }
    return type == T_FLOAT || type == T_DOUBLE ? !is_bitwise && !is_logical : 1;
}

/* As C compares: of two zeros the earlier one, whatever its sign, and what becomes of a NaN depends on where it stands. */
#define EACH(statement)                                                                                                                              \
    for (size_t i = 0; i < count; i++) {                                                                                                             \
        a[i] = statement;                                                                                                                            \
    }                                                                                                                                                \
    break;

#define BASIC                                                                                                                                        \
    case O_SUM: EACH(a[i] + b[i])                                                                                                                    \
    case O_PROD: EACH(a[i] * b[i])                                                                                                                   \
    case O_MIN: EACH(b[i] < a[i] ? b[i] : a[i])                                                                                                      \
    case O_MAX: EACH(b[i] > a[i] ? b[i] : a[i])

#define OF_BITS                                                                                                                                      \
    case O_LAND: EACH(a[i] && b[i])                                                                                                                  \
    case O_LOR: EACH(a[i] || b[i])                                                                                                                   \
    case O_LXOR: EACH(!a[i] != !b[i])                                                                                                                \
    case O_BAND: EACH(a[i] & b[i])                                                                                                                   \
    case O_BOR: EACH(a[i] | b[i])                                                                                                                    \
    case O_BXOR: EACH(a[i] ^ b[i])

#define FOLD(name, element, cases)                                                                                                                   \
    static void name(enum op op, void *to, const void *from, size_t count) {                                                                         \
        element *a = to;                                                                                                                             \
        const element *b = from;                                                                                                                     \
        switch (op) {                                                                                                                                \
            cases                                                                                                                                    \
            default: break;                                                                                                                          \
        }                                                                                                                                            \
    }

FOLD(fold_int8, int8_t, BASIC OF_BITS)
FOLD(fold_uint8, uint8_t, BASIC OF_BITS)
FOLD(fold_uint16, uint16_t, BASIC OF_BITS)
FOLD(fold_int32, int32_t, BASIC OF_BITS)
FOLD(fold_uint32, uint32_t, BASIC OF_BITS)
FOLD(fold_int64, int64_t, BASIC OF_BITS)
FOLD(fold_uint64, uint64_t, BASIC OF_BITS)
FOLD(fold_float, float, BASIC)
FOLD(fold_double, double, BASIC)

void fold(enum op op, enum type type, void *to, const void *from, size_t count) {
    static void (*const folds[])(enum op, void *, const void *, size_t) = {fold_uint8, fold_int8, fold_uint8, fold_uint16, fold_int32,
            fold_uint32, fold_int64, fold_uint64, fold_float, fold_double};
    folds[type](op, to, from, count);
}
