package io.reactivecomm.compression.reduce;

/** The way of encoded elements through the ranks. */
public enum Route {

    /**
     * Each rank adds up one part of the elements: parts go to their ranks encoded, are added up in rank order, and their sums come back encoded. A rank sends about
     * twice its encoded elements, however many ranks there are. The sums lose something, too.
     */
    TWO_STEPS,

    /**
     * Every rank gets all ranks' elements encoded, and adds them up itself, in rank order. A rank receives as many encodings as there are ranks, so this is for codecs
     * of few elements: their sums would not be few.
     */
    GATHER
}
