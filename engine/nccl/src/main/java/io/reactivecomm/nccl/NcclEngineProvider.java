package io.reactivecomm.nccl;

import io.reactivecomm.CommConfig;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.UnsupportedCollectiveException;
import io.reactivecomm.nccl.cuda.CudaMemory;
import io.reactivecomm.sequence.SequencedEngine;
import io.reactivecomm.spi.WarningLog;
import io.reactivecomm.spi.WorkThreads;
import io.reactivecomm.spi.engine.CollectiveEngine;
import io.reactivecomm.spi.engine.EngineContext;
import io.reactivecomm.spi.engine.EngineProvider;
import io.reactivecomm.spi.engine.OrderedEngine;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import reactor.core.publisher.Mono;

/** Opens the engine by its name, {@code nccl}, for tensors of GPUs: {@code RCOMM_BACKEND=cuda:nccl}. */
public final class NcclEngineProvider implements EngineProvider {

    private static final Logger LOG = WarningLog.of(NcclEngineProvider.class);

    /** The variable that names this process's device by its number; else it is that of the rank's place on its machine. */
    public static final String DEVICE = "RCOMM_CUDA_DEVICE";

    /** The variable that says from how many bytes on tensors are allocated by NCCL, and registered; else none is. */
    static final String REGISTER = "RCOMM_NCCL_REGISTER_BYTES";

    private final Map<String, String> environment;

    /** For {@link java.util.ServiceLoader}. */
    public NcclEngineProvider() {
        this(System.getenv());
    }

    /** @param environment in which its variables are looked up in place of the process's own */
    public NcclEngineProvider(Map<String, String> environment) {
        this.environment = Map.copyOf(environment);
    }

    @Override
    public String name() {
        return "nccl";
    }

    @Override
    public Set<String> devices() {
        return Set.of(CudaMemory.KIND);
    }

    @Override
    public Mono<CollectiveEngine> open(EngineContext context) {
        return place(() -> {
                    Map<String, String> settings = CommConfig.settings(environment);
                    long leastBytes = number(REGISTER, settings, Long.MAX_VALUE);
                    NcclLibrary library = NcclLibrary.open(settings);
                    return new Place(library, stream(context, settings), leastBytes);
                })
                .flatMap(place -> open(name(), context, place));
    }

    /**
     * The library that an engine is opened on, and a stream for its calls.
     *
     * @param leastBytes of tensors that the library allocates
     */
    record Place(NcclLibrary library, LaunchStream stream, long leastBytes) {}

    /** {@return what is opened on a thread that may block} Its stream is closed if nobody waits for it any more, which a callable's result would not be. */
    static Mono<Place> place(Supplier<Place> opener) {
        return Mono.<Place>create(sink -> WorkThreads.shared().schedule(() -> {
                    try {
                        sink.success(opener.get());
                    } catch (RuntimeException | Error e) {
                        sink.error(e);
                    }
                }))
                .doOnDiscard(Place.class, place -> place.stream().close());
    }

    private static long number(String variable, Map<String, String> environment, long otherwise) {
        String text = environment.getOrDefault(variable, "").trim();
        try {
            return text.isEmpty() ? otherwise : Long.parseUnsignedLong(text);
        } catch (NumberFormatException e) {
            throw new InvalidCallException(
                    "no number: " + variable + "=" + text + "; give one such as 0 or 1048576", e);
        }
    }

    private static LaunchStream stream(EngineContext context, Map<String, String> environment) {
        int index = device(context, environment);
        CudaMemory memory = CudaMemory.open(index, "rank" + context.control().rank());
        return new CudaLaunchStream(memory, memory.device(index));
    }

    /** {@return the number of the rank's device} @throws InvalidCallException if none is named that could be one */
    static int device(EngineContext context, Map<String, String> environment) {
        return (int) number(DEVICE, environment, context.localRank());
    }

    /** The library of a rank, as others need to know it. */
    private record Seat(String dialect, int version, Abilities abilities) {}

    /**
     * Opens the engine; the stream is closed with it, or if there comes none. Who waits for an engine may cancel after it has come, too, and closes it: its
     * communicators end on the stream.
     */
    static Mono<CollectiveEngine> open(String name, EngineContext context, Place place) {
        NcclLibrary library = place.library();
        LaunchStream stream = place.stream();
        NcclSetup setup = new NcclSetup(library);
        NcclMemory memory = memory(setup, place);
        AtomicBoolean isGivenUp = new AtomicBoolean();
        AtomicBoolean isTaken = new AtomicBoolean();
        Runnable close = () -> {
            if (!isTaken.get()) {
                stream.close();
            }
        };
        return Mono.fromCallable(() -> new Seat(library.dialect().label(), setup.version(), Abilities.of(library)))
                .flatMap(own -> context.agree(own, Seat.class))
                .map(NcclEngineProvider::common)
                .map(abilities -> new LaunchContext(
                        setup,
                        new NcclCalls(setup),
                        stream,
                        context.control(),
                        context.loop()::schedule,
                        abilities,
                        memory))
                .flatMap(launches -> id(context, setup)
                        .flatMap(id -> world(launches, id, isGivenUp))
                        .doOnNext(world -> isTaken.set(true))
                        .<OrderedEngine>map(world ->
                                new NcclEngine(launches, context.control().rank(), world)))
                .<CollectiveEngine>map(engine -> SequencedEngine.of(name, context.control(), engine))
                .doOnDiscard(NcclGroup.class, world -> stream.aside("abort", world::abort))
                .doOnError(error -> stream.execute(close))
                .doOnCancel(() -> {
                    isGivenUp.set(true);
                    // Behind what is under way there.
                    stream.execute(close);
                });
    }

    private static NcclMemory memory(NcclSetup setup, Place place) {
        NcclMemory memory = new NcclMemory(setup, place.stream(), place.leastBytes());
        if (NcclMemory.isIn(place.library())) {
            place.stream().allocateBy(memory);
        } else if (place.leastBytes() < Long.MAX_VALUE) {
            LOG.warn(
                    "a library allocates no memory: library={}, {}={} has no effect",
                    place.library().name(),
                    REGISTER,
                    place.leastBytes());
        }
        return memory;
    }

    /** {@return what the libraries of all ranks can; all ranks see the same, and so the same fault} */
    private static Abilities common(List<Seat> seats) {
        Seat first = seats.getFirst();
        Abilities common = first.abilities();
        for (int rank = 0; rank < seats.size(); rank++) {
            Seat seat = seats.get(rank);
            if (!seat.dialect().equals(first.dialect()) || seat.version() != first.version()) {
                throw new UnsupportedCollectiveException("ranks have different libraries: rank 0 " + first.dialect()
                        + " " + first.version() + ", rank " + rank + " " + seat.dialect() + " " + seat.version()
                        + "; name one library for all by " + NcclLibrary.VARIABLE);
            }
            common = common.and(seat.abilities());
        }
        return common;
    }

    private static Mono<byte[]> id(EngineContext context, NcclSetup setup) {
        byte[] none = {};
        Mono<byte[]> own = context.control().rank() == 0
                ? Mono.fromCallable(setup::uniqueId).subscribeOn(WorkThreads.shared())
                : Mono.just(none);
        return own.flatMap(id -> context.control().broadcastObject(id, 0, byte[].class));
    }

    private static Mono<NcclGroup> world(LaunchContext launches, byte[] id, AtomicBoolean isGivenUp) {
        CommMaker maker = new CommMaker(launches.setup(), launches.calls(), launches.stream());
        return Mono.create(sink -> launches.stream().execute(() -> {
            if (isGivenUp.get()) {
                // The stream may be closed already: what was made on it now could not be ended.
                sink.success();
                return;
            }
            try {
                maker.join(launches.control().size(), id, launches.control().rank(), isGivenUp::get)
                        .ifPresentOrElse(sink::success, sink::success);
            } catch (RuntimeException | Error e) {
                launches.tell(e, () -> sink.error(e));
            }
        }));
    }
}
