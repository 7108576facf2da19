package io.reactivecomm.spark;

import java.io.Serializable;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * A program that each rank of a {@link SparkWorld} runs on its partition. Spark serializes it, with all that it refers to, and sends it to the executors.
 *
 * @param <T> an element of a partition
 * @param <R> a rank's result, which Java can serialize
 */
@FunctionalInterface
public interface SparkProgram<T, R extends @Nullable Object> extends Serializable {

    /**
     * {@return this rank's result, which may be null}
     *
     * <p><b>Threads.</b> Runs on the thread of the Spark task, and may block.
     *
     * <p><b>Errors.</b> Any; the group is aborted with the text of the exception, and the driver gets the exception as the cause of a
     * {@link SparkRankException}.
     *
     * @param partition this rank's elements, read once while the program asks for them
     */
    R run(SparkRank rank, Iterator<T> partition) throws Exception;
}
