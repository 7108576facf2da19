/*
 * What the headers of each library say. Built with -DDIALECT_ONECCL for oneCCL's C interface; else for NCCL's, which RCCL has too.
 * What depends on it is compiled for each; the rest once (see NcclDoubleLibrary).
 * (Sources: nccl.h of 2.18 to 2.30, rccl.h, and oneCCL's oneapi/ccl.h and oneapi/ccl/v2/types.h.)
 */
#ifndef DOUBLE_NCCL_DIALECT_H
#define DOUBLE_NCCL_DIALECT_H

#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))
/* As the real ones have it: who links against it may find it missing. */
#define WEAK EXPORT __attribute__((weak))

enum type { T_INT8, T_UINT8, T_INT32, T_UINT32, T_INT64, T_UINT64, T_FLOAT16, T_FLOAT32, T_FLOAT64, T_BFLOAT16, TYPES };

enum op { O_SUM, O_PROD, O_MAX, O_MIN, O_AVG, OPS };

/* NCCL's numbers; where another dialect has others, they change on the way out. */
enum result { SUCCESS, CUDA_ERROR, SYSTEM_ERROR, INTERNAL_ERROR, ARGUMENT, USAGE, REMOTE, IN_PROGRESS, TIMEOUT, RESULTS };

#ifdef DIALECT_ONECCL
#define NAME(stem) oneccl##stem
#define ID_BYTES 4096
#define CONFIG_BYTES 56
#define NEWEST 20211700
#define OUTGOING {0, 7, 2, 3, 4, 5, 1, 6, 1}
#define BLOCKS_IN_CALLS 1
#define AVERAGES 0
typedef size_t rank_count;
#else
#define NAME(stem) nccl##stem
#define ID_BYTES 128
#define CONFIG_BYTES 48
#define NEWEST 23003
#define OUTGOING {0, 1, 2, 3, 4, 5, 6, 7, 8}
#define BLOCKS_IN_CALLS 0
#define AVERAGES 1
typedef int rank_count;
#endif

typedef struct {
    char bytes[ID_BYTES];
} unique_id;

int outgoing(enum result result);

int width_of(enum type type);

/* Combines the ranks' elements, the lowest rank's first; of 16-bit floating point in float32, rounded once. */
void fold(enum op op, enum type type, void *to, const char *const *parts, int ranks, size_t count);

/* Multiplies elements by a factor of their type. */
void scale(enum type type, void *elements, const void *factor, size_t count);

#endif
