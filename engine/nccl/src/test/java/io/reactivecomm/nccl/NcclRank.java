package io.reactivecomm.nccl;

import io.reactivecomm.DType;
import io.reactivecomm.PeerLostException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.Move;
import io.reactivecomm.nccl.cuda.CudaMemory;
import io.reactivecomm.nccl.doubles.CudaDouble;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** The program of a rank that is a process: it joins as any program does, and rank 1 dies in the end. It prints what has become of its calls. */
final class NcclRank {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private NcclRank() {}

    public static void main(String[] arguments) {
        // The driver's double is loaded before JCuda looks for the driver.
        CudaDouble.JVM.forgetFaults();
        ProcessGroup world = Objects.requireNonNull(ReactiveComm.connect().block(LIMIT));
        Tensor sum = world.allocate(new Device(CudaMemory.KIND, world.rank()), DType.FLOAT32, 3);
        try (Tensor here = Tensor.of(new float[] {1, 2, world.rank()})) {
            world.move(List.of(Move.copy(here, sum))).completed().block(LIMIT);
        }
        var work = Objects.requireNonNull(world.allReduce(sum, ReduceOp.SUM).block(LIMIT));
        System.out.println("sum=" + Arrays.toString(sum.toFloatArray()) + ", backend=" + work.backend() + ", faults="
                + CudaDouble.JVM.faults());
        if (world.rank() == 1) {
            Runtime.getRuntime().halt(9);
        }
        try {
            world.allReduce(sum, ReduceOp.SUM).block(LIMIT);
        } catch (PeerLostException e) {
            System.out.println("lost=" + e.rank());
        }
        sum.released().block(LIMIT);
        sum.close();
        world.close();
        System.out.println("left");
    }
}
