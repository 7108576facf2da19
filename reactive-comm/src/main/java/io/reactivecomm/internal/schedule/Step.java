package io.reactivecomm.internal.schedule;

import java.util.List;

/**
 * One stream of a schedule: it deals with its elements in order, first to last, as far as what it waits for allows.
 *
 * <p>The n-th step of one rank that sends to another pairs with the n-th step (or fold source) of the other that receives from the
 * first. They have the same number of elements.
 */
public sealed interface Step {

    /** {@return what holds this step back} */
    List<Wait> waits();

    /** {@return how many elements it deals with} */
    long count();

    /** Sends elements to a peer; those of {@link Buffer#SCRATCH} are partial results where the call reduces. */
    record Send(int peer, Span source, List<Wait> waits) implements Step {

        @Override
        public long count() {
            return source.count();
        }
    }

    /** Receives elements from a peer into their place. */
    record Receive(int peer, Span target, List<Wait> waits) implements Step {

        @Override
        public long count() {
            return target.count();
        }
    }

    /**
     * Combines sources from the left into the target.
     *
     * @param finish whether the result is divided (AVG) and rounded to the element type; otherwise the target is scratch
     */
    record Fold(Span target, List<Source> sources, boolean finish, List<Wait> waits) implements Step {

        @Override
        public long count() {
            return target.count();
        }
    }

    /** Copies elements within the rank. */
    record Copy(Span source, Span target, List<Wait> waits) implements Step {

        @Override
        public long count() {
            return source.count();
        }
    }

    /** One operand of a {@link Fold}. */
    sealed interface Source {

        /** This rank's own elements; accumulator elements where the span is scratch. */
        record Local(Span span) implements Source {}

        /**
         * Elements that a peer sends.
         *
         * @param partial whether they are accumulator elements
         */
        record Remote(int peer, boolean partial) implements Source {}
    }
}
