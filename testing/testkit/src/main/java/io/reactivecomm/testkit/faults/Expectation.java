package io.reactivecomm.testkit.faults;

import java.time.Duration;
import java.util.Set;

/** The end that a cell must come to. */
public sealed interface Expectation {

    /** {@return how long after the fault the last rank may be there, on an idle machine} */
    Duration limit();

    /** {@return the end in a few words, for tables} */
    String label();

    /**
     * An error on every rank that lives.
     *
     * @param types simple names of exceptions, one of which it is
     * @param saying a pattern that is found in its text
     */
    record Told(Set<String> types, String saying, Duration limit) implements Expectation {

        @Override
        public String label() {
            return Names.of(types);
        }
    }

    /** Nothing but delay: the calls under way end well, and so do new ones. */
    record GoesOn(Duration limit) implements Expectation {

        @Override
        public String label() {
            return "calls go on";
        }
    }

    /** An error for a stranger, whom the world does not notice. */
    record Refused(Set<String> types, String saying, Duration limit) implements Expectation {

        @Override
        public String label() {
            return "the stranger: " + Names.of(types) + "; calls go on";
        }
    }

    /** A group that closes all the same. */
    record Closes(Duration limit) implements Expectation {

        @Override
        public String label() {
            return "`close` returns";
        }
    }

    /** Names of exceptions as tables have them. */
    final class Names {

        private Names() {}

        private static String of(Set<String> types) {
            return String.join(
                    " or ",
                    types.stream().sorted().map(type -> "`" + type + "`").toList());
        }
    }
}
