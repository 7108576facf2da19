package io.reactivecomm.nccl;

import io.reactivecomm.DType;

/**
 * The element types that NCCL knows, with its numbers; RCCL and oneCCL have the same.
 *
 * <p><b>Source.</b> NCCL's {@code nccl.h}: {@code ncclDataType_t}.
 */
enum NcclType {
    INT8(1),
    UINT8(1),
    INT32(4),
    UINT32(4),
    INT64(8),
    UINT64(8),
    FLOAT16(2),
    FLOAT32(4),
    FLOAT64(8),
    BFLOAT16(2);

    private final int byteSize;

    NcclType(int byteSize) {
        this.byteSize = byteSize;
    }

    /** {@return NCCL's number of it} */
    int code() {
        return ordinal();
    }

    int byteSize() {
        return byteSize;
    }

    /**
     * {@return the type of elements that are combined}
     *
     * @throws IllegalArgumentException if NCCL has no arithmetic for it: see {@link NcclOperation#isSupported}
     */
    static NcclType ofArithmetic(DType type) {
        return switch (type) {
            case INT8 -> INT8;
            case UINT8 -> UINT8;
            case INT32 -> INT32;
            case UINT32 -> UINT32;
            case INT64 -> INT64;
            case UINT64 -> UINT64;
            case FLOAT16 -> FLOAT16;
            case BFLOAT16 -> BFLOAT16;
            case FLOAT32 -> FLOAT32;
            case FLOAT64 -> FLOAT64;
            case BOOL, FLOAT8_E4M3, FLOAT8_E5M2 ->
                throw new IllegalArgumentException("NCCL has no arithmetic for it: type=" + type);
        };
    }

    /**
     * {@return a type of the same width, for elements that are only moved} NCCL has no 16-bit integers and older versions no 8-bit floating point:
     * what is moved is bytes, so the name does not matter, and all ranks choose the same.
     */
    static NcclType ofWidth(DType type) {
        return ofWidth(type.byteSize());
    }

    /** {@return a type of that many bytes: 1, 2, 4 or 8} */
    static NcclType ofWidth(int byteSize) {
        return switch (byteSize) {
            case 1 -> UINT8;
            case 2 -> FLOAT16;
            case 4 -> UINT32;
            case 8 -> UINT64;
            default -> throw new IllegalArgumentException("no type of NCCL is that wide: bytes=" + byteSize);
        };
    }
}
