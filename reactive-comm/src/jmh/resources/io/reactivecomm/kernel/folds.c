/*
 * The folds that the kernels are measured beside, as one would write them in C: a plain loop for each type, operation and number of
 * operands, left to the compiler (-O3 -march=native). They do a little less than the kernels:
 *
 * - MIN and MAX are the comparison that C programs write, which lets a NaN or a zero of the other sign through where Java does not.
 * - bfloat16 accumulates in float and rounds once, as in the kernels. _Float16 does not: it rounds at each step, which is one instruction,
 *   and which GCC 12 turns into vectors; loops that accumulate _Float16 in float stay scalar there and take ten times as long.
 */
#include <stdint.h>
#include <string.h>

typedef uint16_t bfloat16;

static inline float widened(bfloat16 x) {
    uint32_t bits = (uint32_t)x << 16;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static inline bfloat16 narrowed(float f) {
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    if (f != f) {
        return (bfloat16)((bits >> 16) | 0x40);
    }
    return (bfloat16)((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

#define SUM(a, b) ((a) + (b))
#define PRODUCT(a, b) ((a) * (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define BAND(a, b) ((a) & (b))
#define BOR(a, b) ((a) | (b))
#define BXOR(a, b) ((a) ^ (b))
#define SAME(x) (x)

/* STORED lies in memory, ACC accumulates; IN and OUT go from one to the other, END is done once after the fold. */
#define LOOPS(NAME, STORED, ACC, IN, OUT, OP, END)                                                                     \
    void NAME##_2(STORED *restrict out, const STORED *restrict a, const STORED *restrict b, long n, int divisor) {     \
        for (long i = 0; i < n; i++) {                                                                                 \
            ACC x = IN(a[i]), y = IN(b[i]);                                                                            \
            x = OP(x, y);                                                                                              \
            out[i] = OUT(END(x, (ACC)divisor));                                                                                       \
        }                                                                                                              \
    }                                                                                                                  \
    void NAME##_4(STORED *restrict out, const STORED *restrict a, const STORED *restrict b, const STORED *restrict c,  \
                  const STORED *restrict d, long n, int divisor) {                                                     \
        for (long i = 0; i < n; i++) {                                                                                 \
            ACC x = IN(a[i]), y = IN(b[i]), z = IN(c[i]), w = IN(d[i]);                                                \
            x = OP(x, y);                                                                                              \
            x = OP(x, z);                                                                                              \
            x = OP(x, w);                                                                                              \
            out[i] = OUT(END(x, (ACC)divisor));                                                                                       \
        }                                                                                                              \
    }

#define KEPT(x, n) (x)
#define DIVIDED(x, n) ((x) / (n))

#define COMMON(NAME, STORED, ACC, IN, OUT)                                                                             \
    LOOPS(NAME##_sum, STORED, ACC, IN, OUT, SUM, KEPT)                                                              \
    LOOPS(NAME##_product, STORED, ACC, IN, OUT, PRODUCT, KEPT)                                                      \
    LOOPS(NAME##_min, STORED, ACC, IN, OUT, MIN, KEPT)                                                              \
    LOOPS(NAME##_max, STORED, ACC, IN, OUT, MAX, KEPT)

#define FLOATING(NAME, STORED, ACC, IN, OUT)                                                                           \
    COMMON(NAME, STORED, ACC, IN, OUT)                                                                                 \
    LOOPS(NAME##_avg, STORED, ACC, IN, OUT, SUM, DIVIDED)

#define INTEGER(NAME, TYPE)                                                                                            \
    COMMON(NAME, TYPE, TYPE, SAME, SAME)                                                                               \
    LOOPS(NAME##_band, TYPE, TYPE, SAME, SAME, BAND, KEPT)                                                          \
    LOOPS(NAME##_bor, TYPE, TYPE, SAME, SAME, BOR, KEPT)                                                            \
    LOOPS(NAME##_bxor, TYPE, TYPE, SAME, SAME, BXOR, KEPT)

FLOATING(float32, float, float, SAME, SAME)
FLOATING(float64, double, double, SAME, SAME)
FLOATING(bfloat16, bfloat16, float, widened, narrowed)
/* Not all compilers have it. */
#ifdef __FLT16_MAX__
FLOATING(float16, _Float16, _Float16, SAME, SAME)
#endif
INTEGER(int8, int8_t)
INTEGER(uint8, uint8_t)
INTEGER(int32, int32_t)
INTEGER(uint32, uint32_t)
INTEGER(int64, int64_t)
INTEGER(uint64, uint64_t)
