package io.reactivecomm.mpi;

import io.reactivecomm.DType;
import io.reactivecomm.ReduceOp;

/** A name of {@code mpi.h} that each implementation has a value of its own for. */
enum Constant {
    COMM_WORLD,
    COMM_SELF,
    ERRORS_RETURN,
    BYTE,
    UINT16,
    INT8,
    UINT8,
    INT32,
    UINT32,
    INT64,
    UINT64,
    FLOAT,
    DOUBLE,
    SUM,
    PROD,
    MIN,
    MAX,
    LAND,
    LOR,
    LXOR,
    BAND,
    BOR,
    BXOR;

    /**
     * {@return the type of elements that are combined}
     *
     * @throws IllegalArgumentException if MPI has no arithmetic for it
     */
    static Constant ofArithmetic(DType type) {
        return switch (type) {
            case INT8 -> INT8;
            case UINT8, BOOL -> UINT8;
            case INT32 -> INT32;
            case UINT32 -> UINT32;
            case INT64 -> INT64;
            case UINT64 -> UINT64;
            case FLOAT32 -> FLOAT;
            case FLOAT64 -> DOUBLE;
            case FLOAT16, BFLOAT16, FLOAT8_E4M3, FLOAT8_E5M2 ->
                throw new IllegalArgumentException("MPI has no arithmetic for it: type=" + type);
        };
    }

    /** {@return a type of the same width, for elements that are only moved} */
    static Constant ofWidth(DType type) {
        return switch (type.byteSize()) {
            case 1 -> BYTE;
            case 2 -> UINT16;
            case 4 -> UINT32;
            default -> UINT64;
        };
    }

    /** {@return the operation; an average is a sum at first} Of BOOL any byte but 0 is true, as MPI's logical operations have it. */
    static Constant of(ReduceOp op, DType type) {
        boolean isBoolean = type == DType.BOOL;
        return switch (op) {
            case SUM, AVG -> SUM;
            case PRODUCT -> PROD;
            case MIN -> isBoolean ? LAND : MIN;
            case MAX -> isBoolean ? LOR : MAX;
            case BAND -> isBoolean ? LAND : BAND;
            case BOR -> isBoolean ? LOR : BOR;
            case BXOR -> isBoolean ? LXOR : BXOR;
        };
    }
}
