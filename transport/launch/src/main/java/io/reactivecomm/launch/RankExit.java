package io.reactivecomm.launch;

/**
 * How a rank ended.
 *
 * @param rank which one
 * @param code its exit code; 128 and the signal's number if a signal ended it
 */
record RankExit(int rank, int code) {

    boolean failed() {
        return code != 0;
    }
}
