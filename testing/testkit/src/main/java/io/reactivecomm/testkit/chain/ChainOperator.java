package io.reactivecomm.testkit.chain;

import io.reactivecomm.hook.Gradient;
import reactor.core.publisher.Flux;

/** An operator that a program puts into a chain of hooks, for one step of one rank. */
record ChainOperator(String name, Kind kind, Effect effect) {

    /** The promise of an operator, by which its step is judged. */
    enum Kind {
        /** All gradients come out of it, once, and its end is the one in front. */
        PASSES,
        /** As {@link #PASSES}, but an error comes out of it as a completion. */
        SWALLOWS,
        /** It fails. */
        FAILS,
        /** It loses gradients, or adds some, and may fail. */
        LOSES,
        /** It subscribes several times, which fails behind a hook that reduces. */
        REPEATS,
        /** It never ends, so that its step has to be cancelled. */
        WAITS,
        /** What it throws is fatal to the JVM. */
        DIES;

        /** {@return whether other ranks may miss this one's gradients} */
        boolean mayLose() {
            return this == LOSES || this == REPEATS;
        }

        /** {@return whether a step without other faults is as one without this} */
        boolean isSound() {
            return this == PASSES || this == SWALLOWS;
        }

        boolean hasToFail() {
            return this == FAILS || this == DIES;
        }
    }

    /** The gradients that come out of an operator. */
    @FunctionalInterface
    interface Effect {

        Flux<Gradient> on(Flux<Gradient> ready, ChainStep step);
    }

    static ChainOperator passes(String name, Effect effect) {
        return new ChainOperator(name, Kind.PASSES, effect);
    }

    static ChainOperator swallows(String name, Effect effect) {
        return new ChainOperator(name, Kind.SWALLOWS, effect);
    }

    static ChainOperator fails(String name, Effect effect) {
        return new ChainOperator(name, Kind.FAILS, effect);
    }

    static ChainOperator loses(String name, Effect effect) {
        return new ChainOperator(name, Kind.LOSES, effect);
    }

    static ChainOperator repeats(String name, Effect effect) {
        return new ChainOperator(name, Kind.REPEATS, effect);
    }

    static ChainOperator waits(String name, Effect effect) {
        return new ChainOperator(name, Kind.WAITS, effect);
    }

    static ChainOperator dies(String name, Effect effect) {
        return new ChainOperator(name, Kind.DIES, effect);
    }

    static IllegalStateException planted() {
        return new IllegalStateException("planted");
    }

    static Flux<Gradient> failure() {
        return Flux.error(planted());
    }

    @Override
    public String toString() {
        return name;
    }
}
