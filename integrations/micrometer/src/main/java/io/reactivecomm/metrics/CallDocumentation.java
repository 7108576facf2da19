package io.reactivecomm.metrics;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/** The observations of this library, in the form in which Micrometer's tools read them. */
public enum CallDocumentation implements ObservationDocumentation {

    /** A call, from its subscription to its end. */
    CALL {
        @Override
        public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
            return CallConvention.class;
        }

        @Override
        public KeyName[] getLowCardinalityKeyNames() {
            return LowKeys.values();
        }

        @Override
        public KeyName[] getHighCardinalityKeyNames() {
            return HighKeys.values();
        }

        @Override
        public Observation.Event[] getEvents() {
            return Events.values();
        }
    };

    /** The keys that meters may have as tags. */
    public enum LowKeys implements KeyName {
        /** What is done, such as {@code all-reduce}. */
        OPERATION("rcomm.operation"),
        /** The group's number; 0 is the world. */
        GROUP("rcomm.group"),
        /** Who performs it, such as {@code links}; {@code none} of a composite call. */
        BACKEND("rcomm.backend");

        private final String key;

        LowKeys(String key) {
            this.key = key;
        }

        @Override
        public String asString() {
            return key;
        }
    }

    /** The keys that traces alone have: of as many values as there are calls. */
    public enum HighKeys implements KeyName {
        /** The call in messages, such as {@code layer1.weight#2}. */
        CALL("rcomm.call"),
        /** The composite call's run that it is part of. */
        COMPOSITE("rcomm.composite"),
        /** The rank in the world. */
        RANK("rcomm.rank"),
        /** How many ranks the group has. */
        GROUP_SIZE("rcomm.group.size"),
        /** The other rank of a message. */
        PEER("rcomm.peer"),
        /** The size as nccl-tests counts it. */
        BYTES("rcomm.bytes"),
        /** The element type. */
        TYPE("rcomm.type"),
        /** How elements are combined. */
        REDUCTION("rcomm.reduction"),
        /** The schedule that runs it. */
        ALGORITHM("rcomm.algorithm");

        private final String key;

        HighKeys(String key) {
            this.key = key;
        }

        @Override
        public String asString() {
            return key;
        }
    }

    /** The moments within a call. */
    public enum Events implements Observation.Event {
        /** A rank that this one exchanges something with has made the same call: once for each. */
        MATCHED("rcomm.matched"),
        /** The first payload has left or come. */
        FIRST_BYTE("rcomm.first.byte"),
        /** The last payload has left or come. */
        LAST_BYTE("rcomm.last.byte");

        private final String text;

        Events(String text) {
            this.text = text;
        }

        @Override
        public String getName() {
            return text;
        }

        @Override
        public String getContextualName() {
            return text;
        }
    }
}
