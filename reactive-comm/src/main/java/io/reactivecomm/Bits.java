package io.reactivecomm;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The bits that a caller takes for the result of a reduction over links. Whichever they are, all ranks get the same, and so do all runs on
 * ranks that lie alike on their hosts.
 *
 * <p>Integers, BOOL, MIN and MAX have one result in any order. Only sums, products and averages of floating-point numbers, PREMUL_SUM and
 * a caller's own operator differ.
 *
 * <p>Where one rank has a NaN, all have one. Which of the many patterns of a NaN that is, processors and JVMs leave open, and so does this.
 */
public enum Bits {

    /** Elements are folded from the left in the order of ranks, one rounding a step: the same bits on every transport and network. */
    RANK_ORDER,

    /**
     * Elements are folded in whichever order and bracketing moves least: another number of hosts, ranks or bytes may round otherwise. An
     * operator that is not associative and commutative but for rounding gives nonsense.
     */
    ANY_ORDER;

    /** {@return the name in RCOMM_BITS, such as {@code rank-order}} */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** @throws RendezvousException if none has that name */
    static Bits of(String label) {
        return Arrays.stream(values())
                .filter(each -> each.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new RendezvousException("no such bits: RCOMM_BITS=" + label + "; write "
                        + Arrays.stream(values()).map(Bits::label).collect(Collectors.joining(" or "))));
    }
}
