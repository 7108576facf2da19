package io.reactivecomm.internal.schedule.choice;

import io.reactivecomm.Bits;

/**
 * The wish of a caller about how its calls are carried out; all ranks of a call wish alike.
 *
 * @param algorithm the name of the algorithm, or empty for the table's choice
 * @param bits which results the caller takes
 */
public record Wish(String algorithm, Bits bits) {

    /** Whatever the table chooses, in rank order. */
    public static final Wish NONE = new Wish("", Bits.RANK_ORDER);
}
