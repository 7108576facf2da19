/*
 * What the mpi.h of each implementation says: the width of its handles, and the values of its names. Built with one of
 * -DDIALECT_OPEN_MPI, -DDIALECT_MPICH, -DDIALECT_STANDARD. (Sources: the mpi.h of Open MPI 4.1 and of MPICH 4.0, and the MPI Forum's of the standard ABI.)
 *
 * Types and operations go by these numbers in the double, whatever a dialect calls them.
 */
#ifndef DOUBLE_DIALECT_H
#define DOUBLE_DIALECT_H

#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

enum kind { KIND_COMM, KIND_GROUP, KIND_REQUEST, KIND_TYPE, KIND_OP, KIND_ERRHANDLER, KIND_SELF };

enum type { T_BYTE, T_INT8, T_UINT8, T_UINT16, T_INT32, T_UINT32, T_INT64, T_UINT64, T_FLOAT, T_DOUBLE };

enum op { O_SUM, O_PROD, O_MIN, O_MAX, O_LAND, O_LOR, O_LXOR, O_BAND, O_BOR, O_BXOR };

#if defined(DIALECT_MPICH)
typedef int handle;
#else
typedef void *handle;
#endif

/* A name of mpi.h whose value programs hand over. */
struct predefined {
    const char *name;
    enum kind kind;
    int what;
    handle value;
};

#define NAME_WORLD(X) X(COMM_WORLD, comm_world, KIND_COMM, 0, 0x44000000, 0x101)
#define NAME_SELF(X) X(COMM_SELF, comm_self, KIND_SELF, 0, 0x44000001, 0x102)
#define NAME_ERRORS(X) X(ERRORS_RETURN, errors_return, KIND_ERRHANDLER, 0, 0x54000001, 0x143)
#define NAMES_OF_TYPES(X)                                                                                                                            \
    X(BYTE, byte, KIND_TYPE, T_BYTE, 0x4c00010d, 0x247)                                                                                              \
    X(INT8_T, int8_t, KIND_TYPE, T_INT8, 0x4c000137, 0x240)                                                                                          \
    X(UINT8_T, uint8_t, KIND_TYPE, T_UINT8, 0x4c00013b, 0x241)                                                                                       \
    X(UINT16_T, uint16_t, KIND_TYPE, T_UINT16, 0x4c00023c, 0x249)                                                                                    \
    X(INT32_T, int32_t, KIND_TYPE, T_INT32, 0x4c000439, 0x250)                                                                                       \
    X(UINT32_T, uint32_t, KIND_TYPE, T_UINT32, 0x4c00043d, 0x251)                                                                                    \
    X(INT64_T, int64_t, KIND_TYPE, T_INT64, 0x4c00083a, 0x258)                                                                                       \
    X(UINT64_T, uint64_t, KIND_TYPE, T_UINT64, 0x4c00083e, 0x259)                                                                                    \
    X(FLOAT, float, KIND_TYPE, T_FLOAT, 0x4c00040a, 0x210)                                                                                           \
    X(DOUBLE, double, KIND_TYPE, T_DOUBLE, 0x4c00080b, 0x214)
#define NAMES_OF_OPS(X)                                                                                                                              \
    X(SUM, op_sum, KIND_OP, O_SUM, 0x58000003, 0x21)                                                                                                 \
    X(PROD, op_prod, KIND_OP, O_PROD, 0x58000004, 0x24)                                                                                              \
    X(MIN, op_min, KIND_OP, O_MIN, 0x58000002, 0x22)                                                                                                 \
    X(MAX, op_max, KIND_OP, O_MAX, 0x58000001, 0x23)                                                                                                 \
    X(LAND, op_land, KIND_OP, O_LAND, 0x58000005, 0x30)                                                                                              \
    X(LOR, op_lor, KIND_OP, O_LOR, 0x58000007, 0x31)                                                                                                 \
    X(LXOR, op_lxor, KIND_OP, O_LXOR, 0x58000009, 0x32)                                                                                              \
    X(BAND, op_band, KIND_OP, O_BAND, 0x58000006, 0x28)                                                                                              \
    X(BOR, op_bor, KIND_OP, O_BOR, 0x58000008, 0x29)                                                                                                 \
    X(BXOR, op_bxor, KIND_OP, O_BXOR, 0x5800000a, 0x2a)
#define ALL_NAMES(X) NAME_WORLD(X) NAME_SELF(X) NAME_ERRORS(X) NAMES_OF_TYPES(X) NAMES_OF_OPS(X)

#if defined(DIALECT_OPEN_MPI)

#define DIALECT_NAME "Open MPI"
#define IN_PLACE ((const void *) 1)
#define STATUS_IGNORE ((void *) 0)
/* Its handles are addresses of its own objects. */
#define DEFINE(name, symbol, kind, what, mpich, standard) EXPORT char ompi_mpi_##symbol[512];
#define ENTER(name, symbol, kind, what, mpich, standard) {"MPI_" #name, kind, what, (handle) ompi_mpi_##symbol},
extern EXPORT char ompi_mpi_comm_null[512], ompi_mpi_group_null[512], ompi_request_null[512];
#define COMM_NULL ((handle) ompi_mpi_comm_null)
#define GROUP_NULL ((handle) ompi_mpi_group_null)
#define REQUEST_NULL ((handle) ompi_request_null)
#define NULLS char ompi_mpi_comm_null[512], ompi_mpi_group_null[512], ompi_request_null[512];
#define LEVELS {0, 1, 2, 3}

#elif defined(DIALECT_MPICH)

#define DIALECT_NAME "MPICH"
#define IN_PLACE ((const void *) -1)
#define STATUS_IGNORE ((void *) 1)
#define DEFINE(name, symbol, kind, what, mpich, standard)
#define ENTER(name, symbol, kind, what, mpich, standard) {"MPI_" #name, kind, what, mpich},
#define COMM_NULL 0x04000000
#define GROUP_NULL 0x08000000
#define REQUEST_NULL 0x2c000000
#define NULLS
#define LEVELS {0, 1, 2, 3}

#elif defined(DIALECT_STANDARD)

#define DIALECT_NAME "MPI 5"
#define IN_PLACE ((const void *) 1)
#define STATUS_IGNORE ((void *) 0)
#define DEFINE(name, symbol, kind, what, mpich, standard)
#define ENTER(name, symbol, kind, what, mpich, standard) {"MPI_" #name, kind, what, (handle) standard},
#define COMM_NULL ((handle) 0x100)
#define GROUP_NULL ((handle) 0x108)
#define REQUEST_NULL ((handle) 0x180)
#define NULLS
#define LEVELS {0, 1024, 2048, 4096}

#else
#error "name a dialect"
#endif

#endif
