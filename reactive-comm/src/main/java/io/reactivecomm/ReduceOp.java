package io.reactivecomm;

import java.util.Objects;

/**
 * The standard reductions.
 *
 * <table>
 * <caption>Which operation takes which type</caption>
 * <tr><th>operation</th><th>integers</th><th>floating point</th><th>BOOL</th><th>FP8</th></tr>
 * <tr><td>SUM, PRODUCT</td><td>yes, wrapping</td><td>yes</td><td>no</td><td>no</td></tr>
 * <tr><td>MIN, MAX</td><td>yes</td><td>yes, as {@link Math#min(float, float)}</td><td>yes (and, or)</td><td>no</td></tr>
 * <tr><td>AVG</td><td>no</td><td>yes, divided once after the fold</td><td>no</td><td>no</td></tr>
 * <tr><td>BAND, BOR, BXOR</td><td>yes</td><td>no</td><td>yes</td><td>no</td></tr>
 * </table>
 */
public enum ReduceOp implements Reduction {
    SUM(true, true, false),
    PRODUCT(true, true, false),
    MIN(true, true, true),
    MAX(true, true, true),
    /** The sum divided once by the group's size, before the rounding to the element type. */
    AVG(false, true, false),
    BAND(true, false, true),
    BOR(true, false, true),
    BXOR(true, false, true);

    private final boolean onIntegers;
    private final boolean onFloats;
    private final boolean onBooleans;

    ReduceOp(boolean onIntegers, boolean onFloats, boolean onBooleans) {
        this.onIntegers = onIntegers;
        this.onFloats = onFloats;
        this.onBooleans = onBooleans;
    }

    @Override
    public boolean supports(DType type) {
        Objects.requireNonNull(type, "type");
        return switch (type.family()) {
            case SIGNED, UNSIGNED -> onIntegers;
            case FLOAT -> onFloats;
            case BOOLEAN -> onBooleans;
            case OPAQUE -> false;
        };
    }

    @Override
    public String label() {
        return name();
    }
}
