package io.reactivecomm.spark;

import io.reactivecomm.ProcessGroup;
import java.util.List;

/**
 * A rank of a world in a barrier stage, as its program sees it.
 *
 * @param group the group of all ranks; {@link SparkWorld#run} closes it
 * @param gpus the addresses of the GPUs that Spark gave to this task, as the executor's discovery script prints them: mostly device indices. Spark does not
 *     set CUDA_VISIBLE_DEVICES.
 * @param attempt the number of times that this world has been started before, by Spark after a lost executor or by {@link SparkWorld#attempts}; 0 at first
 * @param partition the partition's index, which is the rank
 */
public record SparkRank(ProcessGroup group, List<String> gpus, int attempt, int partition) {

    public SparkRank {
        gpus = List.copyOf(gpus);
    }
}
