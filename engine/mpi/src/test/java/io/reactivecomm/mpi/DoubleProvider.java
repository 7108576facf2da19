package io.reactivecomm.mpi;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.spi.WorkThreads;
import io.reactivecomm.spi.engine.CollectiveEngine;
import io.reactivecomm.spi.engine.EngineContext;
import io.reactivecomm.spi.engine.EngineProvider;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.publisher.Mono;

/** The opener of the engine over doubles of MPI, a copy of one for each rank of this JVM. */
abstract class DoubleProvider implements EngineProvider {

    private static final CallLimits USUAL = CallLimits.USUAL;

    private static final AtomicLong WORLDS = new AtomicLong();

    private final String name;
    private final DoubleDialect dialect;
    private final CallLimits limits;

    private DoubleProvider(String name, DoubleDialect dialect, CallLimits limits) {
        this.name = name;
        this.dialect = dialect;
        this.limits = limits;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Set<String> devices() {
        return Set.of("cpu");
    }

    @Override
    public Mono<CollectiveEngine> open(EngineContext context) {
        int rank = context.control().rank();
        int size = context.control().size();
        return name(context.control())
                .publishOn(WorkThreads.shared())
                .map(world -> process(world, rank, size))
                .flatMap(process -> new MpiEngineProvider().open(context, process, limits, cuda(process)));
    }

    /** {@return a name that rank 0 gives the world} */
    private static Mono<String> name(ProcessGroup control) {
        Tensor name = Tensor.of(new long[] {WORLDS.incrementAndGet()});
        return control.broadcast(name, 0)
                .map(work -> String.valueOf(name.toLongArray()[0]))
                .doFinally(end -> name.close());
    }

    /** {@return the devices of a rank's process} None by default. */
    CudaSetting cuda(MpiProcess process) {
        return new CudaSetting(null, false, false);
    }

    /** {@return the process of a rank} */
    MpiProcess process(String world, int rank, int size) {
        return DoubleMeeting.named(world, dialect, size).join(rank);
    }

    /** With handles that are addresses of its objects. */
    public static final class OpenMpi extends DoubleProvider {

        /** For {@link java.util.ServiceLoader}. */
        public OpenMpi() {
            super(DoubleDialect.OPEN_MPI.engine(), DoubleDialect.OPEN_MPI, USUAL);
        }
    }

    /** With handles that are numbers of 32 bits. */
    public static final class Mpich extends DoubleProvider {

        /** For {@link java.util.ServiceLoader}. */
        public Mpich() {
            super(DoubleDialect.MPICH.engine(), DoubleDialect.MPICH, USUAL);
        }
    }

    /** With the handles of MPI 5. */
    public static final class Standard extends DoubleProvider {

        /** For {@link java.util.ServiceLoader}. */
        public Standard() {
            super(DoubleDialect.STANDARD.engine(), DoubleDialect.STANDARD, USUAL);
        }
    }

    /** With 1,000 elements for each of MPI's calls at most, in place of the 2³¹ that an int counts. */
    public static final class Cut extends DoubleProvider {

        /** For {@link java.util.ServiceLoader}. */
        public Cut() {
            super("mpi-cut", DoubleDialect.OPEN_MPI, new CallLimits(1_000, SmallCallRule.SMALL_BYTES));
        }
    }

    /** With tensors of a CUDA device, which all ranks of this JVM share. */
    private abstract static class OfCuda extends DoubleProvider {

        private final boolean isClaimed;
        private final boolean isOff;

        OfCuda(String name, CallLimits limits, boolean isClaimed, boolean isOff) {
            super(name, DoubleDialect.OPEN_MPI, limits);
            this.isClaimed = isClaimed;
            this.isOff = isOff;
        }

        @Override
        public Set<String> devices() {
            return Set.of("cpu", "cuda");
        }

        @Override
        CudaSetting cuda(MpiProcess process) {
            return new CudaSetting(CudaWorlds.memory(), true, isOff);
        }

        @Override
        MpiProcess process(String world, int rank, int size) {
            DoubleMeeting meeting = DoubleMeeting.named(world, DoubleDialect.OPEN_MPI, size);
            meeting.useCuda(isClaimed);
            return meeting.join(rank);
        }
    }

    /** With a library that takes no addresses of devices: small calls by the loop, others by the worker. */
    public static final class Staged extends OfCuda {

        /** For {@link java.util.ServiceLoader}. */
        public Staged() {
            super(CudaWorlds.STAGED, new CallLimits(1_000, 256), false, false);
        }
    }

    /** With a library that takes addresses of devices, and is given all that it can be. */
    public static final class Direct extends OfCuda {

        /** For {@link java.util.ServiceLoader}. */
        public Direct() {
            super(CudaWorlds.DIRECT, new CallLimits(Integer.MAX_VALUE, -1), true, false);
        }
    }

    /** With a library that says so, and the variable by which it is not given them. */
    public static final class Off extends OfCuda {

        /** For {@link java.util.ServiceLoader}. */
        public Off() {
            super(CudaWorlds.OFF, new CallLimits(Integer.MAX_VALUE, -1), true, true);
        }
    }

    /** With a process of MPI for each rank that knows of no other. */
    public static final class Alone extends DoubleProvider {

        /** For {@link java.util.ServiceLoader}. */
        public Alone() {
            super("mpi-alone", DoubleDialect.OPEN_MPI, USUAL);
        }

        @Override
        MpiProcess process(String world, int rank, int size) {
            return DoubleMeeting.named(world + "-" + rank, DoubleDialect.OPEN_MPI, 1)
                    .join(0);
        }
    }

    /** With implementations that differ. */
    public static final class Mixed extends DoubleProvider {

        /** For {@link java.util.ServiceLoader}. */
        public Mixed() {
            super("mpi-mixed", DoubleDialect.OPEN_MPI, USUAL);
        }

        @Override
        MpiProcess process(String world, int rank, int size) {
            return DoubleMeeting.named(world, DoubleDialect.OPEN_MPI, size)
                    .join(rank, rank == 0 ? DoubleDialect.OPEN_MPI : DoubleDialect.MPICH);
        }
    }

    /** With one process for all ranks, as this JVM is one. */
    public static final class One extends DoubleProvider {

        /** For {@link java.util.ServiceLoader}. */
        public One() {
            super("mpi-one", DoubleDialect.OPEN_MPI, USUAL);
        }

        @Override
        MpiProcess process(String world, int rank, int size) {
            return DoubleMeeting.named(world, DoubleDialect.OPEN_MPI, 1).only();
        }
    }
}
