package io.reactivecomm.launch;

/**
 * The end of a rank's process.
 *
 * @param rank which one
 * @param code its exit code; 128 and the signal's number if a signal ended it
 */
record RankExit(int rank, int code) {

    /** What shells add to the number of a signal that ended a process. */
    private static final int SIGNALLED = 128;

    private static final int LAST_SIGNAL = 64;

    /** {@return rank and code in a message; a program may also have chosen the code of a signal} */
    String text() {
        int signal = code - SIGNALLED;
        return "rank=" + rank + ", exitCode=" + code
                + (signal > 0 && signal <= LAST_SIGNAL ? " (signal " + signal + ")" : "");
    }

    boolean failed() {
        return code != 0;
    }
}
