package io.reactivecomm.testkit.merge;

/** The origin of a value on the stack or in a local. */
sealed interface Origin {

    /**
     * An object that is allocated here, or by a method that is called here.
     *
     * @param at the instruction's place in the method: two allocations of one type are two origins
     */
    record Fresh(int at, int line, String what) implements Origin {

        @Override
        public String toString() {
            return what + " (line " + line + ")";
        }
    }

    /** No object. */
    record Null() implements Origin {

        @Override
        public String toString() {
            return "null";
        }
    }

    /** An object that was there before: a parameter, a field's value, the result of a call; or no reference at all. */
    record Elsewhere() implements Origin {

        @Override
        public String toString() {
            return "a value from elsewhere";
        }
    }
}
