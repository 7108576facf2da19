package io.reactivecomm;

import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.function.DoubleBinaryOperator;
import java.util.function.LongBinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A caller's own way to combine two elements, folded from the left in rank order like any other, so it need not be associative; unless
 * the caller {@linkplain Bits#ANY_ORDER takes any order}, for which it has to be commutative, too.
 *
 * <p>All ranks give a reduction of the same name that does the same: of what it does only the name can be compared. An operator that throws
 * fails the call with an {@link InvalidCallException}, here and on every other rank whose call is unfinished; with an error that is fatal to the JVM,
 * such as an endless recursion, it ends the world on all ranks.
 *
 * <p><b>Threads.</b> The operator runs on the group's loop: it must be quick, and must not block.
 */
public final class CustomReduction implements Reduction {

    private static final int MAX_NAME_BYTES = 200;

    private final String name;
    private final @Nullable DoubleBinaryOperator onFloats;
    private final @Nullable LongBinaryOperator onIntegers;

    private CustomReduction(
            String name, @Nullable DoubleBinaryOperator onFloats, @Nullable LongBinaryOperator onIntegers) {
        int lengthBytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (lengthBytes > MAX_NAME_BYTES) {
            throw new IllegalArgumentException("a reduction's name is too long: bytes=" + lengthBytes
                    + "; give at most " + MAX_NAME_BYTES + " bytes of UTF-8");
        }
        this.name = name;
        this.onFloats = onFloats;
        this.onIntegers = onIntegers;
    }

    /**
     * {@return a reduction of floating-point elements}
     * Elements and results so far are widened to double; each result is rounded to the type's {@link DType#accumulator() accumulator}.
     *
     * @throws IllegalArgumentException if the name is longer than 200 bytes
     */
    public static CustomReduction ofFloats(String name, DoubleBinaryOperator operator) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(operator, "operator");
        return new CustomReduction(name, operator, null);
    }

    /**
     * {@return a reduction of integer elements}
     * Elements and results so far are widened to long, unsigned ones with zeros (UINT64 as its bits); each result is cut to the type.
     *
     * @throws IllegalArgumentException if the name is longer than 200 bytes
     */
    public static CustomReduction ofIntegers(String name, LongBinaryOperator operator) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(operator, "operator");
        return new CustomReduction(name, null, operator);
    }

    /** {@return the operator on floating-point elements, or null} */
    public @Nullable DoubleBinaryOperator onFloats() {
        return onFloats;
    }

    /** {@return the operator on integers, or null} */
    public @Nullable LongBinaryOperator onIntegers() {
        return onIntegers;
    }

    @Override
    public boolean supports(DType type) {
        Objects.requireNonNull(type, "type");
        return type.isInteger() ? onIntegers != null : type.family() == DType.Family.FLOAT && onFloats != null;
    }

    @Override
    public String label() {
        return "custom(" + name + ")";
    }
}
