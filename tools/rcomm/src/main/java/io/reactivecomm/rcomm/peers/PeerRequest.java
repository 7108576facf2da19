package io.reactivecomm.rcomm.peers;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The measurements that a peer is to make. Elements are float32.
 *
 * @param op as {@code rcomm perf} names it, such as all-reduce, or list
 * @param ranks how many take part
 * @param sizes in bytes as nccl-tests counts them, of whole elements, and where each rank has a part of as many each; a single 0 for barriers
 * @param counts the file of the tensors of a list, or null
 * @param batches how many means to take
 * @param batchTime about how long a batch takes
 * @param warmUp how long what is compiled at run time runs first
 */
public record PeerRequest(
        String op,
        int ranks,
        List<Long> sizes,
        @Nullable Path counts,
        int batches,
        Duration batchTime,
        Duration warmUp) {

    /** Starting python or a JVM on a busy machine, compiling, connecting: a minute would do, two are sure. */
    private static final Duration START = Duration.ofMinutes(2);

    /** Batches of warm-up, and that rounds may be longer than a batch: a list of a thousand tensors over Gloo is. */
    private static final int PATIENCE = 6;

    public PeerRequest {
        sizes = List.copyOf(sizes);
    }

    /** {@return what the measuring programs take as their last arguments} */
    List<String> arguments() {
        String what = counts == null
                ? sizes.stream().map(String::valueOf).collect(Collectors.joining(","))
                : "@" + counts.toAbsolutePath();
        return List.of(op, Integer.toString(batches), seconds(batchTime), seconds(warmUp), what);
    }

    /** {@return how long a run may take before it is given up} */
    Duration limit() {
        int measurements = Math.max(2, sizes.size());
        return START.plus(warmUp.multipliedBy(PATIENCE))
                .plus(batchTime.multipliedBy((long) PATIENCE * measurements * (batches + 4)));
    }

    private static String seconds(Duration time) {
        return String.format(Locale.ROOT, "%.3f", time.toNanos() / 1e9);
    }
}
