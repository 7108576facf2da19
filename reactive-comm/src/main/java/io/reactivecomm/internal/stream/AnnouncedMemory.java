package io.reactivecomm.internal.stream;

import com.sun.management.OperatingSystemMXBean;
import io.reactivecomm.CommException;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import java.lang.management.ManagementFactory;

/** Memory for tensors that another rank announces: what it says is checked against what a machine can have. */
final class AnnouncedMemory {

    /** A machine that does not tell has what the largest have. */
    private static final long MOST_BYTES = machineBytes(64L << 40);

    /** The system clears memory, or reserves what is shared, at half a millisecond for each megabyte. */
    private static final long MOST_BYTES_ON_LOOP = 2 << 20;

    private AnnouncedMemory() {}

    private static long machineBytes(long otherwise) {
        try {
            return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
                    ? system.getTotalMemorySize()
                    : otherwise;
        } catch (LinkageError e) {
            // A runtime without the module jdk.management.
            return otherwise;
        }
    }

    /** {@return whether a loop is held up by allocating it} */
    static boolean holdsALoop(ControlMessage.Item item) {
        double bytes = item.type().byteSize();
        for (long dimension : item.shape()) {
            bytes *= dimension;
        }
        return bytes > MOST_BYTES_ON_LOOP;
    }

    /**
     * {@return a new tensor as announced}
     *
     * @throws InvalidCallException if it is larger than this machine's memory
     * @throws CommException if there is no memory left for it
     */
    static Tensor allocate(ProcessGroup group, ControlMessage.Item item) {
        requireFits(item);
        try {
            return group.allocate(
                    item.type(),
                    item.shape().stream().mapToLong(Long::longValue).toArray());
        } catch (OutOfMemoryError e) {
            throw new CommException(
                    "no memory for a tensor that another rank sends: " + described(item)
                            + "; close tensors that were received, or request fewer",
                    e);
        }
    }

    private static void requireFits(ControlMessage.Item item) {
        long bytes = item.shape().contains(0L) ? 0 : item.type().byteSize();
        for (long dimension : item.shape()) {
            if (bytes > 0 && dimension > MOST_BYTES / bytes) {
                throw new InvalidCallException("a tensor that another rank sends is larger than this machine's memory: "
                        + described(item) + ", machineBytes=" + MOST_BYTES + "; send slices of it");
            }
            bytes *= dimension;
        }
    }

    private static String described(ControlMessage.Item item) {
        return "type=" + item.type() + ", shape=" + item.shape();
    }
}
