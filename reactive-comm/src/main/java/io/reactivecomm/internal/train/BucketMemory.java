package io.reactivecomm.internal.train;

import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.TensorLife;
import io.reactivecomm.device.Device;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.Parameter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The memory that buckets keep from step to step. Each piece is allocated when it is first needed.
 *
 * <pre>
 *   flat buffers   two for each device   a bucket is packed into one while the other is in flight
 *   homes          one for each bucket   all gradients, if the program asks for them
 *   results        one for a parameter   the gradient of a parameter that this rank did not have, but another
 *   presence       one for each bucket   a byte for each gradient
 * </pre>
 *
 * <p><b>Buffers.</b> After {@link #close} each is freed when the call that borrows it has ended.
 *
 * <p><b>Threads.</b> Any.
 */
final class BucketMemory implements AutoCloseable {

    private final ProcessGroup group;
    private final Map<Device, List<FlatBuffer>> buffers = new HashMap<>();
    private final Map<String, Tensor> results = new HashMap<>();
    private final Map<Integer, Tensor> presences = new HashMap<>();
    private volatile @Nullable Homes homes;
    private boolean isClosed;

    BucketMemory(ProcessGroup group) {
        this.group = group;
    }

    /** Memory for one bucket at a time. */
    static final class FlatBuffer {

        private final Device device;
        private @Nullable Tensor bytes;
        private boolean isTaken;

        private FlatBuffer(Device device) {
            this.device = device;
        }

        private void close() {
            if (bytes != null) {
                bytes.close();
                bytes = null;
            }
        }

        /** {@return the memory of a buffer that is taken} @throws InvalidCallException if the buckets were closed meanwhile */
        Tensor bytes() {
            Tensor memory = bytes;
            if (memory == null) {
                throw closed();
            }
            return memory;
        }
    }

    /**
     * Memory for all buckets at once, in which gradients have their homes. Immutable.
     *
     * @param buckets a tensor for each bucket
     * @param gradients the views of them, in the order of the parameters
     * @param lives those of the buckets
     */
    record Homes(List<Tensor> buckets, List<Gradient> gradients, Set<TensorLife> lives) {

        /** Allocates it, zeroed. @throws CommException if there is not so much memory */
        private static Homes of(BucketPlan plan, ProcessGroup group) {
            List<Tensor> buckets = new ArrayList<>();
            try {
                plan.buckets()
                        .forEach(
                                bucket -> buckets.add(allocate(group, bucket.device(), bucket.type(), bucket.count())));
            } catch (CommException e) {
                buckets.forEach(Tensor::close);
                throw e;
            }
            return new Homes(
                    buckets,
                    plan.places().stream().map(place -> home(place, buckets)).toList(),
                    buckets.stream()
                            .flatMap(bucket -> Stream.ofNullable(bucket.life()))
                            .collect(Collectors.toSet()));
        }

        private static Gradient home(BucketPlan.Place place, List<Tensor> buckets) {
            Parameter parameter = place.parameter();
            return new Gradient(parameter.name(), buckets.get(place.bucket()).slice(place.from(), parameter.count()));
        }

        /** {@return whether a tensor is in this memory, and not in the home of that gradient} */
        boolean isMisplaced(BucketPlan.Place place, Tensor tensor) {
            Tensor home = gradients.get(place.index()).tensor();
            return tensor != home && lives.contains(tensor.life()) && tensor.address() != home.address();
        }
    }

    /**
     * {@return a buffer that no other bucket has, until it is returned; null if both of the device are taken}
     *
     * @param leastBytes the size that it must have
     * @param usualBytes the size that it gets if it is allocated now
     */
    synchronized @Nullable FlatBuffer take(Device device, long leastBytes, long usualBytes) {
        requireOpen();
        for (FlatBuffer buffer :
                buffers.computeIfAbsent(device, each -> List.of(new FlatBuffer(each), new FlatBuffer(each)))) {
            if (!buffer.isTaken) {
                makeRoom(buffer, leastBytes, usualBytes);
                buffer.isTaken = true;
                return buffer;
            }
        }
        return null;
    }

    private void makeRoom(FlatBuffer buffer, long leastBytes, long usualBytes) {
        if (buffer.bytes == null || buffer.bytes.byteSize() < leastBytes) {
            buffer.close();
            buffer.bytes = allocate(group, buffer.device, DType.UINT8, Math.max(leastBytes, usualBytes));
        }
    }

    /** Allocates memory of the buckets. @throws CommException if there is not so much */
    static Tensor allocate(ProcessGroup group, Device device, DType type, long... shape) {
        try {
            return group.allocate(device, type, shape);
        } catch (OutOfMemoryError e) {
            throw new CommException(
                    "a bucket got no memory: device=" + device + ", type=" + type + ", shape=" + Arrays.toString(shape)
                            + "; free memory, use smaller buckets, or do without allocate()",
                    e);
        }
    }

    /** Returns a buffer. @param isReusable false if its call has failed: a library may still touch that memory, so the next bucket gets other memory */
    synchronized void giveBack(FlatBuffer buffer, boolean isReusable) {
        if (!isReusable) {
            buffer.close();
        }
        buffer.isTaken = false;
    }

    /** {@return the tensor for the gradient of a parameter that this rank does not have in a step} */
    synchronized Tensor result(Parameter parameter) {
        requireOpen();
        return results.computeIfAbsent(
                parameter.name(), first -> allocate(group, parameter.device(), parameter.type(), shape(parameter)));
    }

    static long[] shape(Parameter parameter) {
        return parameter.shape().stream().mapToLong(Long::longValue).toArray();
    }

    /** {@return the tensor in which ranks agree on which gradients of a bucket there are} */
    synchronized Tensor presence(int bucket, int count) {
        requireOpen();
        return presences.computeIfAbsent(bucket, first -> Tensor.allocate(DType.UINT8, count));
    }

    /** The call that had the tensor has failed: a library may still touch it, so the next one gets another. */
    synchronized void giveUpPresence(int bucket) {
        Tensor lost = presences.remove(bucket);
        if (lost != null) {
            lost.close();
        }
    }

    /** Allocates the homes of gradients, if that has not been done. */
    synchronized void allocateHomes(BucketPlan plan) {
        requireOpen();
        if (homes == null) {
            homes = Homes.of(plan, group);
        }
    }

    /** {@return the homes of gradients, or null} A step takes them once: a program may allocate them in the middle of one. */
    @Nullable Homes homes() {
        return homes;
    }

    synchronized void requireOpen() {
        if (isClosed) {
            throw closed();
        }
    }

    private static InvalidCallException closed() {
        return new InvalidCallException("these gradient buckets are closed; close them after the last step");
    }

    /** Frees what no program can have: results that are handed out may outlive the buckets. */
    synchronized void dropped() {
        isClosed = true;
        buffers.values().forEach(both -> both.forEach(FlatBuffer::close));
        presences.values().forEach(Tensor::close);
    }

    @Override
    public synchronized void close() {
        dropped();
        results.values().forEach(Tensor::close);
        if (homes != null) {
            homes.buckets().forEach(Tensor::close);
        }
    }
}
