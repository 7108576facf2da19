package io.reactivecomm.compression;

/** The promise of a codec about what comes out of it. */
public enum Fidelity {
    /** The very values. */
    EXACT,
    /** Values no further from those that went in than {@link Codec#errorBound()}. */
    BOUNDED,
    /** Values of whose distance nothing is promised: what is lost belongs into error feedback. */
    LOSSY
}
