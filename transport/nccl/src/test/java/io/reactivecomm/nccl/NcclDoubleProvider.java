package io.reactivecomm.nccl;

import io.reactivecomm.nccl.cuda.CudaDevice;
import io.reactivecomm.nccl.cuda.CudaDouble;
import io.reactivecomm.nccl.cuda.CudaDoubleLibrary;
import io.reactivecomm.nccl.cuda.CudaMemory;
import io.reactivecomm.spi.CollectiveEngine;
import io.reactivecomm.spi.EngineContext;
import io.reactivecomm.spi.EngineProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import reactor.core.publisher.Mono;

/** The opener of the engine over the doubles of NCCL and CUDA, for ranks of this JVM, which all have one device. */
public class NcclDoubleProvider implements EngineProvider {

    static final String NAME = "nccl-double";

    private static final long LIMIT_SECONDS = 20;
    private static final Queue<Opened> OPENED = new ConcurrentLinkedQueue<>();

    /** The one copy of the double that the ranks of this JVM share; loaded when it is first used. */
    private static final class Loaded {

        private static final NcclDouble NCCL = load();

        private static NcclDouble load() {
            // CUDA's double comes first: JCuda finds it by its name then.
            CudaDouble.JVM.forgetFaults();
            NcclDouble nccl = NcclDouble.load(NcclDoubleDialect.NCCL);
            if (!nccl.useCuda(CudaDoubleLibrary.built())) {
                throw new IllegalStateException("the double of NCCL does not know that of CUDA");
            }
            return nccl;
        }
    }

    /** The device of one rank. */
    record Opened(CudaDevice device) {

        /** Waits until nothing of it is left. */
        void awaitEnd() {
            device.ended().orTimeout(LIMIT_SECONDS, TimeUnit.SECONDS).join();
        }
    }

    /** For {@link java.util.ServiceLoader}. */
    public NcclDoubleProvider() {}

    static NcclDouble nccl() {
        return Loaded.NCCL;
    }

    /** {@return those that have been opened since it was last asked} */
    static List<Opened> taken() {
        List<Opened> taken = new ArrayList<>();
        for (Opened each = OPENED.poll(); each != null; each = OPENED.poll()) {
            taken.add(each);
        }
        return taken;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Set<String> devices() {
        return Set.of(CudaMemory.KIND);
    }

    @Override
    public Mono<CollectiveEngine> open(EngineContext context) {
        return NcclEngineProvider.place(() -> new NcclEngineProvider.Place(nccl().library(), stream(context.control().rank())))
                .flatMap(place -> NcclEngineProvider.open(name(), context, place.library(), place.stream()));
    }

    private static LaunchStream stream(int rank) {
        nccl();
        CudaMemory memory = CudaMemory.open(0, "rank" + rank);
        CudaDevice device = memory.device(0);
        OPENED.add(new Opened(device));
        return new CudaLaunchStream(memory, device);
    }
}
