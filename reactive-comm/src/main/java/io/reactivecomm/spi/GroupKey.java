package io.reactivecomm.sequence;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.EngineGroup;

/** The identity of a group on all ranks: a recovered group keeps its number and is another generation. */
record GroupKey(int generation, long id) {

    static GroupKey of(CallKey key) {
        return new GroupKey(key.generation(), key.group());
    }

    static GroupKey of(EngineGroup group) {
        return new GroupKey(group.generation(), group.id());
    }
}
