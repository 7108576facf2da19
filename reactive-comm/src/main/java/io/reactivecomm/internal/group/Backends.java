package io.reactivecomm.internal.group;

import io.reactivecomm.DType;
import io.reactivecomm.DeviceMemory;
import io.reactivecomm.Operation;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.Tensor;
import io.reactivecomm.UnsupportedCollectiveException;
import io.reactivecomm.collective.Coalesced;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.internal.engine.GroupState;
import io.reactivecomm.internal.engine.Submission;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.CollectiveEngine;
import io.reactivecomm.spi.EngineProvider;
import io.reactivecomm.spi.Failure;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The engines that serve the tensors of each device, from a choice such as {@code cpu:links,cuda:nccl}.
 *
 * <p>An entry without a device serves all devices that no other entry names; {@code cpu} alone stands for {@code cpu:links}. Immutable.
 */
final class Backends {

    /** The engine over links. */
    static final String LINKS = Submission.BACKEND;

    private static final String CPU = "cpu";
    private static final String ANY_DEVICE = "*";

    /** Links for the host's memory, and nothing else. */
    static final Backends LINKS_ONLY = new Backends(Map.of(CPU, LINKS), Map.of());

    private final Map<String, String> names;
    private final Map<String, CollectiveEngine> engines;
    /** Whether the host's memory is served by links, as it nearly always is. */
    private final boolean hostByLinks;

    private Backends(Map<String, String> names, Map<String, CollectiveEngine> engines) {
        this.names = names;
        this.engines = engines;
        this.hostByLinks = LINKS.equals(name(CPU));
    }

    /** {@return those of a choice, before the engines among them are opened} */
    static Map<String, String> parse(String choice) {
        Map<String, String> names = new LinkedHashMap<>();
        for (String entry : choice.split(",", -1)) {
            String text = entry.strip();
            int colon = text.indexOf(':');
            String device = text.equals(CPU) ? CPU : colon < 0 ? ANY_DEVICE : text.substring(0, colon);
            String engine = text.equals(CPU) ? LINKS : text.substring(colon + 1);
            if (device.isEmpty() || engine.isEmpty() || names.put(device, engine) != null) {
                throw new RendezvousException("cannot read the choice of engines: backend=" + choice + ", entry=" + text
                        + "; write one engine for each device, such as cpu:links,cuda:nccl");
            }
        }
        return names;
    }

    /**
     * Opens the engines that the choice names, on all ranks together.
     *
     * <p><b>Subscription and cancellation.</b> Where one cannot be opened, or the subscriber cancels before all are, the others are closed.
     */
    static Mono<Backends> open(String choice, ProcessGroup control) {
        return Mono.defer(() -> {
            Map<String, String> names = parse(choice);
            Opening opening = new Opening();
            return Flux.fromIterable(new TreeSet<>(names.values()))
                    .filter(name -> !name.equals(LINKS))
                    .concatMap(name -> provider(name)
                            .open(control.named("\u0001engine/" + name))
                            .doOnNext(engine -> opening.add(name, engine)))
                    .then(Mono.fromSupplier(() -> new Backends(names, opening.handOver())))
                    .doOnError(error -> opening.abandon())
                    .doOnCancel(opening::abandon);
        });
    }

    /**
     * The engines that are open while others are not: one that comes after the end of the attempt is closed.
     *
     * <p><b>Threads.</b> Any.
     */
    private static final class Opening {

        private final Map<String, CollectiveEngine> engines = new LinkedHashMap<>();
        private boolean handedOver;
        private boolean abandoned;

        synchronized void add(String name, CollectiveEngine engine) {
            if (abandoned) {
                engine.close();
            } else {
                engines.put(name, engine);
            }
        }

        /** {@return all, which are the caller's to close from here on} */
        synchronized Map<String, CollectiveEngine> handOver() {
            handedOver = true;
            return engines;
        }

        synchronized void abandon() {
            if (!handedOver && !abandoned) {
                abandoned = true;
                engines.values().forEach(CollectiveEngine::close);
            }
        }
    }

    private static EngineProvider provider(String name) {
        TreeSet<String> known = new TreeSet<>(List.of(LINKS));
        for (EngineProvider provider : ServiceLoader.load(EngineProvider.class, Backends.class.getClassLoader())) {
            if (provider.name().equals(name)) {
                return provider;
            }
            known.add(provider.name());
        }
        throw new RendezvousException("no such engine on the class path: engine=" + name + ", known=" + known
                + "; add the module that has it, or choose another backend");
    }

    /** {@return the engine's name for a tensor on that device, or null} */
    private @Nullable String name(String device) {
        return names.getOrDefault(device, names.get(ANY_DEVICE));
    }

    /** {@return whether another engine than the one over links performs a call, which it supports} */
    boolean isElsewhere(Collective call) {
        if (engines.isEmpty()) {
            return false;
        }
        String device = device(call);
        String name = device == null ? LINKS : name(device);
        return name != null && !name.equals(LINKS) && supports(opened(name), call);
    }

    private static boolean supports(CollectiveEngine engine, Collective call) {
        return call instanceof Coalesced scope
                ? scope.members().stream().allMatch(member -> supports(engine, member))
                : engine.supports(call.operation(), call.signature().type());
    }

    /** An engine and what it is called. */
    record Choice(String name, CollectiveEngine engine) {}

    /** {@return the engine for a call that is {@link #isElsewhere elsewhere}} */
    Choice choose(Collective call) {
        String name = Objects.requireNonNull(name(Objects.requireNonNull(device(call))));
        return new Choice(name, opened(name));
    }

    /** {@return the kind of device that all tensors of a call are on; null if there is no tensor, or more than one kind} */
    private static @Nullable String device(Collective call) {
        String device = null;
        for (Tensor tensor : call.tensors()) {
            String kind = tensor.device().kind();
            if (device != null && !device.equals(kind)) {
                return null;
            }
            device = kind;
        }
        return device;
    }

    /**
     * Requires that a call which is not {@link #isElsewhere elsewhere} is one for links.
     *
     * @throws UnsupportedCollectiveException if no engine performs it
     */
    void requireLinks(Collective call) {
        List<Tensor> tensors = call.tensors();
        for (int i = 0; i < tensors.size(); i++) {
            Tensor tensor = tensors.get(i);
            String kind = tensor.device().kind();
            if (!hostByLinks || !kind.equals(CPU)) {
                throw new UnsupportedCollectiveException(call.label() + " has no engine for its tensors: device=" + tensor.device() + ", type="
                        + tensor.type() + ", engines=" + names + "; ask supports(operation, type) first, copy the tensors to the host, or choose"
                        + " another backend");
            }
        }
    }

    /** {@return the memory of the devices of some kind, from whichever engine offers it; null if none does} */
    @Nullable DeviceMemory memory(String kind) {
        for (CollectiveEngine engine : engines.values()) {
            DeviceMemory memory = engine.memory();
            if (memory != null && memory.kind().equals(kind)) {
                return memory;
            }
        }
        return null;
    }

    private CollectiveEngine opened(String name) {
        CollectiveEngine engine = engines.get(name);
        if (engine == null) {
            throw new IllegalStateException("an engine was not opened: engine=" + name + ", opened=" + engines.keySet());
        }
        return engine;
    }

    boolean supports(Operation operation, DType type) {
        return names.values().stream()
                .anyMatch(name -> name.equals(LINKS) ? linksSupport(operation, type) : opened(name).supports(operation, type));
    }

    private static boolean linksSupport(Operation operation, DType type) {
        return switch (operation) {
            case ALL_REDUCE, INFERENCE_ALL_REDUCE, REDUCE, REDUCE_SCATTER -> type.family() != DType.Family.OPAQUE;
            case BROADCAST, ALL_GATHER, ALL_TO_ALL, GATHER, SCATTER, BARRIER, MONITORED_BARRIER, MESSAGE, NEW_GROUP, COALESCED -> true;
        };
    }

    /** A collective failed its checks on this rank; who will perform it elsewhere is not known here. */
    void refused(GroupState group, CallKey.Ticket key, Failure cause) {
        engines.values().forEach(engine -> engine.refused(group.forEngines(), key, cause));
    }

    /** {@return which engine serves which devices, for errors} */
    String described() {
        return names.toString();
    }

    /** {@return whether there is any engine beside the one over links} */
    boolean hasOthers() {
        return !engines.isEmpty();
    }

    /** The body of a composite call is over on this rank. */
    void compositeOver(GroupState group, CallKey.Ticket run, Failure cause) {
        engines.values().forEach(engine -> engine.compositeOver(group.forEngines(), run, cause));
    }

    /** A composite call has failed on this rank. */
    void compositeFailed(GroupState group, CallKey.Ticket run, Failure cause) {
        engines.values().forEach(engine -> engine.compositeFailed(group.forEngines(), run, cause));
    }

    /** Another step of a group has begun on this rank. */
    void stepped(GroupState group) {
        engines.values().forEach(engine -> engine.stepped(group.forEngines()));
    }

    /** A group has ended. */
    void fail(GroupState group, Failure cause) {
        engines.values().forEach(engine -> engine.failGroup(group.forEngines(), cause));
    }

    /** A group is closed; closing the world's ends the engines. */
    void close(GroupState group) {
        engines.values().forEach(group.isWorld() ? CollectiveEngine::close : engine -> engine.closeGroup(group.forEngines()));
    }
}
