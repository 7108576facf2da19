package io.reactivecomm.device;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A kernel with its grid and its arguments.
 *
 * @param kernel the function
 * @param blocks of threads; 1 at least
 * @param threads of a block; 1 to 1024
 * @param arguments the fields of the structure that the kernel takes, in order: a {@link Tensor}, which may be written, or an {@link Input} is its
 *     address, and Long, Integer, Double and Float are themselves
 */
public record KernelLaunch(DeviceKernel kernel, long blocks, int threads, List<Object> arguments) {

    private static final int MOST_THREADS = 1024;

    /** A tensor that a kernel only reads: where the kernel fails its elements are what they were, and go on to be read. */
    public record Input(Tensor tensor) {

        public Input {
            Objects.requireNonNull(
                    tensor, "a kernel reads no tensor; give one of the device's memory, or the address 0L");
        }
    }

    public KernelLaunch {
        Objects.requireNonNull(kernel, "a launch has no kernel; give the function to run");
        arguments = List.copyOf(arguments);
        if (blocks < 1 || blocks > Integer.MAX_VALUE || threads < 1 || threads > MOST_THREADS) {
            throw new InvalidCallException("a kernel cannot run on such a grid: kernel=" + kernel + ", blocks=" + blocks
                    + ", threads=" + threads + "; take 1 to " + Integer.MAX_VALUE + " blocks of 1 to " + MOST_THREADS
                    + " threads");
        }
        arguments.forEach(each -> byteSize(kernel, each));
    }

    private static int byteSize(DeviceKernel kernel, Object argument) {
        return switch (argument) {
            case Tensor tensor -> requireOnDevice(kernel, tensor);
            case Input input -> requireOnDevice(kernel, input.tensor());
            case Long ignored -> Long.BYTES;
            case Double ignored -> Double.BYTES;
            case Integer ignored -> Integer.BYTES;
            case Float ignored -> Float.BYTES;
            default ->
                throw new InvalidCallException("a kernel takes no such argument: kernel=" + kernel + ", argument="
                        + argument + " of " + argument.getClass().getName()
                        + "; give a Tensor, Input, Long, Integer, Double or Float");
        };
    }

    private static int requireOnDevice(DeviceKernel kernel, Tensor tensor) {
        if (tensor.device().equals(Device.CPU)) {
            throw new InvalidCallException("a kernel reaches no memory of the host: kernel=" + kernel + ", tensor="
                    + tensor + "; move it to the device first");
        }
        return Long.BYTES;
    }

    /** {@return the tensors among the arguments} */
    public List<Tensor> tensors() {
        List<Tensor> tensors = new ArrayList<>(written());
        for (Object each : arguments) {
            if (each instanceof Input(Tensor tensor)) {
                tensors.add(tensor);
            }
        }
        return tensors;
    }

    /** {@return those of them that the kernel may write} */
    public List<Tensor> written() {
        return arguments.stream()
                .filter(Tensor.class::isInstance)
                .map(Tensor.class::cast)
                .toList();
    }

    /** {@return the structure of the arguments, each at a multiple of its own size, in the machine's byte order} */
    public byte[] packed() {
        int end = 0;
        int widest = 1;
        for (Object each : arguments) {
            int size = byteSize(kernel, each);
            end = aligned(end, size) + size;
            widest = Math.max(widest, size);
        }
        ByteBuffer bytes = ByteBuffer.allocate(aligned(end, widest)).order(ByteOrder.nativeOrder());
        for (Object each : arguments) {
            bytes.position(aligned(bytes.position(), byteSize(kernel, each)));
            put(bytes, each);
        }
        return bytes.array();
    }

    private static int aligned(int at, int size) {
        return (at + size - 1) / size * size;
    }

    private static void put(ByteBuffer bytes, Object argument) {
        switch (argument) {
            case Tensor tensor -> bytes.putLong(tensor.address());
            case Input input -> bytes.putLong(input.tensor().address());
            case Long number -> bytes.putLong(number);
            case Double number -> bytes.putDouble(number);
            case Integer number -> bytes.putInt(number);
            case Float number -> bytes.putFloat(number);
            default -> throw new AssertionError("an argument that was refused: argument=" + argument);
        }
    }
}
