package io.reactivecomm.mpi;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Partition;
import java.lang.foreign.ValueLayout;

/**
 * The common ground of all plans of one rank of one group.
 *
 * @param folds what MPI leaves to the rank is done by
 * @param limit elements of one of MPI's calls at most
 */
record PlanPlace(MpiLibrary library, MpiCalls calls, Folds folds, int limit, int rank, int size) {

    /** A part of a row, by elements. */
    interface Piece {

        void take(long from, int count);
    }

    void inPieces(long count, Piece piece) {
        for (long from = 0; from < count; from += limit) {
            piece.take(from, (int) Math.min(limit, count - from));
        }
    }

    /** {@return MPI's type for elements that are only moved} */
    long moved(Collective call) {
        return library.constant(Constant.ofWidth(call.signature().type()));
    }

    /** A number of a part. */
    interface OfPart {

        long of(Partition parts, int part);
    }

    /** {@return the address of an array of ints, one for each part, which the plan keeps} Only for rows whose elements an int counts. */
    long ints(Partition parts, OfPart which, Plan plan) {
        Tensor array = plan.keep(Tensor.allocate(DType.INT32, size));
        for (int part = 0; part < size; part++) {
            array.segment().setAtIndex(ValueLayout.JAVA_INT, part, (int) which.of(parts, part));
        }
        return array.segment().address();
    }
}
