package io.reactivecomm.testkit.faults;

import java.util.Locale;

/** The links that ranks talk over. */
public enum LinkKind {
    LOCAL,
    TCP,
    SHM;

    /** {@return the name in tables, and in a configuration} */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
