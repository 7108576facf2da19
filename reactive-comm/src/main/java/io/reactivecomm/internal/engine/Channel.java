package io.reactivecomm.internal.engine;

import io.reactivecomm.spi.CallKey;

/** The group, name and tag that messages have in common if their order counts. */
record Channel(long group, String name, int tag) {

    static Channel of(CallKey.Message key) {
        return new Channel(key.group(), key.name(), key.tag());
    }

    /** {@return where a call sends or receives, which is a message's end} */
    static Channel of(Call call) {
        String name;
        int tag;
        switch (call.submission().address()) {
            case Submission.Address.To to -> {
                name = to.name();
                tag = to.tag();
            }
            case Submission.Address.From from -> {
                name = from.name();
                tag = from.tag();
            }
            case Submission.Address.Collectively collective ->
                throw new IllegalArgumentException("not a message: call=" + collective.key().label());
        }
        return new Channel(call.group().id(), name, tag);
    }
}
