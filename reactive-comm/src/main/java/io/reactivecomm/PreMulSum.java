package io.reactivecomm;

import java.util.Objects;

/**
 * The sum of the ranks' elements, each multiplied by a factor first: torch's PREMUL_SUM.
 *
 * <p>Product and sum are rounded in the type's {@link DType#accumulator() accumulator}, first the one, then the other. All ranks give the
 * same factor.
 *
 * @param factor what each element is multiplied by, rounded to the accumulator first
 */
public record PreMulSum(double factor) implements Reduction {

    @Override
    public boolean supports(DType type) {
        Objects.requireNonNull(type, "type");
        return type.family() == DType.Family.FLOAT;
    }

    @Override
    public String label() {
        return "PREMUL_SUM(" + factor + ")";
    }
}
