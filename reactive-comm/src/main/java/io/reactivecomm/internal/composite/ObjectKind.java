package io.reactivecomm.internal.composite;

/** The collectives of objects; all but their bytes is known from the kind, which travels with them. */
enum ObjectKind {
    ALL_GATHER("object all-gather"),
    BROADCAST("object broadcast"),
    GATHER("object gather"),
    SCATTER("object scatter"),
    REDUCE("object reduce");

    /** "ROBJ": no length or count that a program gathers for itself is likely to be this. */
    private static final long MARK = 0x524F_424AL << 32;

    private final String label;

    ObjectKind(String label) {
        this.label = label;
    }

    /** {@return the name in prose} */
    String label() {
        return label;
    }

    /** {@return what a rank that performs this says first} */
    long code() {
        return MARK | ordinal();
    }

    /** {@return the name of what a rank performs that says that first} */
    static String labelOf(long code) {
        for (ObjectKind kind : values()) {
            if (kind.code() == code) {
                return kind.label;
            }
        }
        return "no collective of objects";
    }
}
