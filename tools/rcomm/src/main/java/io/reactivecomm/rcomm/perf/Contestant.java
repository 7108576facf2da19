package io.reactivecomm.rcomm.perf;

import java.util.List;

/** A library that is measured in turn with others: ours, run in one way, or a peer. */
sealed interface Contestant permits OwnWorld, PeerLibrary {

    /** {@return who it is} */
    Entrant entrant();

    /** Runs it once, from start to end, and shows the rows. {@return what it measured} */
    Turn run(PerfTable table);

    /**
     * The outcome of one run.
     *
     * @param rows what was measured
     * @param failure in one line why that is not all, or empty
     * @param exitCode with which the command ends for that, or 0 where it goes on without this one
     */
    record Turn(List<PerfRow> rows, String failure, int exitCode) {

        /** {@return a run in which all was measured} */
        static Turn of(List<PerfRow> rows) {
            return new Turn(rows, "", 0);
        }
    }
}
