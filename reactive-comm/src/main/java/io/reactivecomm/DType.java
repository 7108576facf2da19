package io.reactivecomm;

/**
 * The element type of a {@link Tensor}.
 *
 * <p>Each type has a fixed width in bytes and a {@link #wireCode() code} that crosses the wire; codes are never reused.
 * FP8 types are carried (copied, gathered, broadcast) but not reduced.
 */
public enum DType {
    INT8(1, Family.SIGNED, 0),
    UINT8(1, Family.UNSIGNED, 1),
    INT32(4, Family.SIGNED, 2),
    UINT32(4, Family.UNSIGNED, 3),
    INT64(8, Family.SIGNED, 4),
    UINT64(8, Family.UNSIGNED, 5),
    /** IEEE 754 binary16. */
    FLOAT16(2, Family.FLOAT, 6),
    /** The upper half of an IEEE 754 binary32. */
    BFLOAT16(2, Family.FLOAT, 7),
    FLOAT32(4, Family.FLOAT, 8),
    FLOAT64(8, Family.FLOAT, 9),
    /** One byte an element: 0 is false, all else is true; a reduction writes 0 or 1. */
    BOOL(1, Family.BOOLEAN, 10),
    /** OCP FP8 E4M3 (no infinities). */
    FLOAT8_E4M3(1, Family.OPAQUE, 11),
    /** OCP FP8 E5M2. */
    FLOAT8_E5M2(1, Family.OPAQUE, 12);

    /** The arithmetic that a type takes part in. */
    public enum Family {
        SIGNED,
        UNSIGNED,
        FLOAT,
        BOOLEAN,
        /** Carried, never reduced. */
        OPAQUE
    }

    private final int byteSize;
    private final Family family;
    private final int wireCode;

    DType(int byteSize, Family family, int wireCode) {
        this.byteSize = byteSize;
        this.family = family;
        this.wireCode = wireCode;
    }

    /** {@return the width of one element, in bytes} */
    public int byteSize() {
        return byteSize;
    }

    /** {@return what arithmetic this type takes part in} */
    public Family family() {
        return family;
    }

    /** {@return the code of this type on the wire} */
    public int wireCode() {
        return wireCode;
    }

    /** {@return whether elements are signed or unsigned integers} */
    public boolean isInteger() {
        return family == Family.SIGNED || family == Family.UNSIGNED;
    }

    /**
     * {@return the type in which a reduction of this type accumulates, and in which its partial results travel}
     * That is FLOAT32 for the two 16-bit floating-point types, so that a fold rounds once, and the type itself for the others.
     */
    public DType accumulator() {
        return this == FLOAT16 || this == BFLOAT16 ? FLOAT32 : this;
    }

    /**
     * {@return the type with that code}
     *
     * @throws IllegalArgumentException if no type has it
     */
    public static DType ofWireCode(int wireCode) {
        for (DType type : CODED) {
            if (type.wireCode == wireCode) {
                return type;
            }
        }
        throw new IllegalArgumentException("unknown element type: code=" + wireCode + ", known=" + CODED.length);
    }

    private static final DType[] CODED = values();
}
