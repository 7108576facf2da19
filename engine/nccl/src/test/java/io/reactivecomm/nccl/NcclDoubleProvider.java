package io.reactivecomm.nccl;

import io.reactivecomm.nccl.cuda.CudaDevice;
import io.reactivecomm.nccl.cuda.CudaMemory;
import io.reactivecomm.nccl.doubles.CudaDouble;
import io.reactivecomm.nccl.doubles.CudaDoubleLibrary;
import io.reactivecomm.nccl.doubles.NcclDoubleDialect;
import io.reactivecomm.spi.engine.CollectiveEngine;
import io.reactivecomm.spi.engine.EngineContext;
import io.reactivecomm.spi.engine.EngineProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import reactor.core.publisher.Mono;

/** The opener of the engine over the doubles of NCCL and CUDA, for ranks of this JVM, which all have one device. */
abstract class NcclDoubleProvider implements EngineProvider {

    private static final long LIMIT_SECONDS = 20;
    private static final Queue<Opened> OPENED = new ConcurrentLinkedQueue<>();
    private static final Map<NcclDoubleDialect, NcclDouble> LOADED = new ConcurrentHashMap<>();

    private final String name;
    private final NcclDoubleDialect dialect;
    private final long leastBytes;

    /** The device of one rank. */
    record Opened(CudaDevice device) {

        /** Waits until nothing of it is left. */
        void awaitEnd() {
            device.ended().orTimeout(LIMIT_SECONDS, TimeUnit.SECONDS).join();
        }
    }

    private NcclDoubleProvider(String name, NcclDoubleDialect dialect) {
        this(name, dialect, Long.MAX_VALUE);
    }

    private NcclDoubleProvider(String name, NcclDoubleDialect dialect, long leastBytes) {
        this.name = name;
        this.dialect = dialect;
        this.leastBytes = leastBytes;
    }

    /** {@return the one copy of the double that the ranks of this JVM share} */
    static NcclDouble nccl(NcclDoubleDialect dialect) {
        return LOADED.computeIfAbsent(dialect, NcclDoubleProvider::load);
    }

    /** {@return those that have been loaded} */
    static Set<NcclDoubleDialect> loaded() {
        return LOADED.keySet();
    }

    private static NcclDouble load(NcclDoubleDialect dialect) {
        // CUDA's double comes first: JCuda finds it by its name then.
        CudaDouble.JVM.forgetFaults();
        NcclDouble nccl = NcclDouble.load(dialect);
        if (!dialect.isOneCcl() && !nccl.useCuda(CudaDoubleLibrary.built())) {
            throw new IllegalStateException("the double of NCCL does not know that of CUDA");
        }
        return nccl;
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
        return name;
    }

    @Override
    public Set<String> devices() {
        return Set.of(dialect.isOneCcl() ? "cpu" : CudaMemory.KIND);
    }

    @Override
    public Mono<CollectiveEngine> open(EngineContext context) {
        return NcclEngineProvider.place(() -> new NcclEngineProvider.Place(
                        nccl(dialect).library(), stream(context.control().rank()), leastBytes))
                .flatMap(place -> NcclEngineProvider.open(name(), context, place));
    }

    private LaunchStream stream(int rank) {
        nccl(dialect);
        if (dialect.isOneCcl()) {
            return new HostLaunchStream("oneccl-rank" + rank);
        }
        CudaMemory memory = CudaMemory.open(0, "rank" + rank);
        CudaDevice device = memory.device(0);
        OPENED.add(new Opened(device));
        return new CudaLaunchStream(memory, device);
    }

    /** With all that NCCL has. */
    public static final class Newest extends NcclDoubleProvider {

        /** For {@link java.util.ServiceLoader}. */
        public Newest() {
            super(NcclWorlds.NEWEST, NcclDoubleDialect.NCCL);
        }
    }

    /** With all tensors from NCCL's memory. */
    public static final class Registering extends NcclDoubleProvider {

        /** For {@link java.util.ServiceLoader}. */
        public Registering() {
            super("nccl-registering", NcclDoubleDialect.NCCL, 0);
        }
    }

    /** With what Debian's has: without all-to-all, gather and scatter. */
    public static final class OfDebian extends NcclDoubleProvider {

        /** For {@link java.util.ServiceLoader}. */
        public OfDebian() {
            super("nccl-debian", NcclDoubleDialect.NCCL_OF_DEBIAN);
        }
    }

    /** With what is required and no more: communicators block, and none is split. */
    public static final class Old extends NcclDoubleProvider {

        /** For {@link java.util.ServiceLoader}. */
        public Old() {
            super("nccl-old", NcclDoubleDialect.OLD_NCCL);
        }
    }

    /** OneCCL's, for tensors of the host. */
    public static final class OneCcl extends NcclDoubleProvider {

        /** For {@link java.util.ServiceLoader}. */
        public OneCcl() {
            super("oneccl-double", NcclDoubleDialect.ONECCL);
        }
    }
}
