package io.reactivecomm.spi.engine;

import io.reactivecomm.spi.CallKey;

/** The identity of a group on all ranks: a recovered group keeps its number and is another generation. */
public record GroupKey(int generation, long id) {

    /** {@return that of the group of a call} */
    public static GroupKey of(CallKey key) {
        return new GroupKey(key.generation(), key.group());
    }

    /** {@return that of a group as engines know it} */
    public static GroupKey of(EngineGroup group) {
        return new GroupKey(group.generation(), group.id());
    }
}
