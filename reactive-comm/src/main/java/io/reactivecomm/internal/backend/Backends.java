package io.reactivecomm.internal.backend;

import io.reactivecomm.DType;
import io.reactivecomm.EngineUse;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Operation;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.UnsupportedCollectiveException;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.DeviceMemory;
import io.reactivecomm.internal.base.Closings;
import io.reactivecomm.internal.base.ErrorTexts;
import io.reactivecomm.internal.base.Thrown;
import io.reactivecomm.internal.engine.GroupState;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.CallKind;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.WarningLog;
import io.reactivecomm.spi.engine.CollectiveEngine;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The engines that serve the tensors of each device.
 *
 * <p>A call whose kind the device's engine refuses goes to links, if its tensors are the host's. Which engine that is follows from what all ranks of a call
 * have in common, so all of them choose the same. Immutable.
 */
public final class Backends {

    private static final Logger LOG = WarningLog.of(Backends.class);

    /** Links for the host's memory, and nothing else. */
    public static final Backends LINKS_ONLY = new Backends(BackendChoice.LINKS_ONLY, Map.of());

    private final BackendChoice choice;
    private final Map<String, CollectiveEngine> engines;
    /** Those of all engines, made once. */
    private final Map<String, Choice> choices = new HashMap<>();

    /** @param engines those that are open, by name: all that the choice names but links */
    Backends(BackendChoice choice, Map<String, CollectiveEngine> engines) {
        this.choice = choice;
        this.engines = engines;
        engines.forEach((name, engine) -> choices.put(name, new Choice(name, engine, engines.size() > 1)));
    }

    /**
     * An engine and what it is called.
     *
     * @param hasRivals whether there are others beside the one over links
     */
    public record Choice(String name, CollectiveEngine engine, boolean hasRivals) {}

    /**
     * {@return the engine beside the one over links that performs a call, or null if none does}
     *
     * @throws InvalidCallException if an engine fails to say
     */
    public @Nullable Choice elsewhere(Collective call, GroupState group) {
        if (engines.isEmpty()) {
            return null;
        }
        Choice found = engineOf(call);
        return found == null || whyRefused(found, group, CallKind.of(call)) != null ? null : found;
    }

    /** {@return the engine beside the one over links that has been chosen for a call's device, or null} */
    private @Nullable Choice engineOf(Collective call) {
        Device device = device(call);
        return device == null ? null : engineOf(device);
    }

    private @Nullable Choice engineOf(Device device) {
        String name = choice.engine(device);
        return name == null ? null : choices.get(name);
    }

    /** {@return why an engine does not perform a call, or null if it does} */
    private static @Nullable String whyRefused(Choice asked, GroupState group, List<CallKind> kinds) {
        for (CallKind kind : kinds) {
            String why = refusal(asked, group, kind);
            if (why != null) {
                return kind.describe() + ": " + why;
            }
        }
        return null;
    }

    /** The call fails here and, by that, on all ranks, if an engine fails to say: another that performed it would be another on each rank. */
    private static @Nullable String refusal(Choice asked, GroupState group, CallKind kind) {
        try {
            return asked.engine.refusal(group.forEngines(), kind);
        } catch (Exception | LinkageError | AssertionError | StackOverflowError e) {
            Thrown.keepInterrupt(e);
            throw new InvalidCallException(
                    "an engine failed when it was asked whether it performs a call: engine=" + asked.name + ", call="
                            + kind.describe() + ", cause=" + ErrorTexts.describe(e)
                            + "; look at this rank's own output",
                    e);
        }
    }

    /**
     * Requires that an engine can use this rank's tensors of a call, before any rank begins it.
     *
     * @throws InvalidCallException if it cannot, or if its check fails
     */
    public static void requireUsable(Choice chosen, GroupState group, Collective call) {
        try {
            chosen.engine.requireUsable(group.forEngines(), call);
        } catch (InvalidCallException e) {
            throw e;
        } catch (Exception | LinkageError | AssertionError | StackOverflowError e) {
            Thrown.keepInterrupt(e);
            throw new InvalidCallException(
                    "an engine failed when it checked the tensors of a call: engine=" + chosen.name + ", call="
                            + call.describe() + ", cause=" + ErrorTexts.describe(e)
                            + "; look at this rank's own output",
                    e);
        }
    }

    /** {@return the device that all tensors of a call are on; null if there is no tensor, or more than one device} */
    private static @Nullable Device device(Collective call) {
        Device device = null;
        List<Tensor> tensors = call.tensors();
        for (int i = 0; i < tensors.size(); i++) {
            Device each = tensors.get(i).device();
            if (device != null && !device.equals(each)) {
                return null;
            }
            device = each;
        }
        return device;
    }

    /**
     * Requires that a call which is not {@link #elsewhere} is one for links.
     *
     * @throws InvalidCallException if its tensors are on more than one device
     * @throws UnsupportedCollectiveException if no engine performs it
     */
    public void requireLinks(Collective call, GroupState group) {
        List<Tensor> tensors = call.tensors();
        if (!tensors.isEmpty() && device(call) == null) {
            throw new InvalidCallException(call.label() + " has tensors on more than one device: devices="
                    + devices(tensors) + "; have all tensors of a call on one device");
        }
        for (int i = 0; i < tensors.size(); i++) {
            if (!tensors.get(i).device().equals(Device.CPU)) {
                throw new UnsupportedCollectiveException(call.label() + " has no engine for its tensors: device="
                        + tensors.get(i).device()
                        + ", type=" + tensors.get(i).type() + ", engines=" + choice.engines() + why(call, group)
                        + "; ask supports(operation, type, reduction, device) first, copy them to the host, or choose"
                        + " another backend");
            }
        }
    }

    private String why(Collective call, GroupState group) {
        Choice found = engineOf(call);
        String why = found == null ? null : whyRefused(found, group, CallKind.of(call));
        return why == null ? "" : ", refused=" + why;
    }

    private static Set<Device> devices(List<Tensor> tensors) {
        return tensors.stream().map(Tensor::device).collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /**
     * {@return the memory of devices of that kind, from whichever engine offers it}
     *
     * @throws UnsupportedCollectiveException if none does
     */
    public DeviceMemory memory(String kind) {
        for (CollectiveEngine engine : engines.values()) {
            DeviceMemory memory = engine.memory();
            if (memory != null && memory.kind().equals(kind)) {
                return memory;
            }
        }
        throw new UnsupportedCollectiveException(
                "no engine of this group has the memory of such devices: device=" + kind + ", engines="
                        + choice.engines() + "; choose a backend that has it, such as cpu:links,cuda:nccl");
    }

    /**
     * {@return whether calls of a kind can succeed for tensors of a device} They must pass their own check of the type, and the device's engine, or links in its
     * place, must perform them.
     *
     * @throws InvalidCallException if the engine fails to say
     */
    public boolean supports(CallKind kind, Device device, GroupState group) {
        if (kind.reduction() != null && !kind.reduction().supports(kind.type())) {
            return false;
        }
        if (kind.operation() == Operation.COALESCED) {
            // Engines are asked about the calls of a scope, not about scopes.
            return Arrays.stream(Operation.values())
                    .anyMatch(each -> isInScopes(each) && supports(inScope(each, kind.type()), device, group));
        }
        Choice chosen = hasTensors(kind.operation()) ? engineOf(device) : null;
        boolean isPerformed = chosen != null && refusal(chosen, group, kind) == null;
        return isPerformed || device.equals(Device.CPU) || !hasTensors(kind.operation());
    }

    private static boolean isInScopes(Operation operation) {
        return hasTensors(operation) && operation != Operation.COALESCED;
    }

    private static CallKind inScope(Operation operation, DType type) {
        return new CallKind(operation, type, operation.reduces() ? ReduceOp.SUM : null, true);
    }

    private static boolean hasTensors(Operation operation) {
        return switch (operation) {
            case BARRIER, MONITORED_BARRIER, NEW_GROUP -> false;
            case ALL_REDUCE,
                    INFERENCE_ALL_REDUCE,
                    REDUCE,
                    BROADCAST,
                    ALL_GATHER,
                    REDUCE_SCATTER,
                    ALL_TO_ALL,
                    GATHER,
                    SCATTER,
                    MESSAGE,
                    COALESCED -> true;
        };
    }

    /** A collective failed its checks on this rank; who will perform it elsewhere is not known here. */
    public void refused(GroupState group, CallKey key, Failure cause) {
        choices.values().forEach(each -> refused(each, group, key, cause));
    }

    /** Where one engine throws, the call still fails over links, and with the other engines. */
    private static void refused(Choice each, GroupState group, CallKey key, Failure cause) {
        try {
            each.engine.refused(group.forEngines(), key, cause);
        } catch (Exception | LinkageError | AssertionError | StackOverflowError e) {
            Thrown.keepInterrupt(e);
            LOG.error(
                    "an engine threw when it was notified of a call that is refused: engine={}, call={}",
                    each.name,
                    key.label(),
                    ErrorTexts.printable(e));
        }
    }

    /** {@return the name of the engine that is chosen for a device's tensors; empty if none is} */
    public String name(Device device) {
        String name = choice.engine(device);
        return name == null ? "" : name;
    }

    /** {@return the engines on the class path, and what the choice makes of each} */
    public List<EngineUse> uses() {
        return new EngineUses(choice).all();
    }

    /** {@return whether there is any engine beside the one over links} */
    public boolean hasOthers() {
        return !engines.isEmpty();
    }

    /** The body of a composite call is over on this rank. */
    public void compositeOver(GroupState group, CallKey.Ticket run, Function<String, Failure> cause) {
        engines.values().forEach(engine -> engine.compositeOver(group.forEngines(), run, cause));
    }

    /** A composite call has failed on this rank. */
    public void compositeFailed(GroupState group, CallKey.Ticket run, Failure cause) {
        engines.values().forEach(engine -> engine.compositeFailed(group.forEngines(), run, cause));
    }

    /** Another step of a group has begun on this rank. */
    public void stepped(GroupState group) {
        engines.values().forEach(engine -> engine.stepped(group.forEngines()));
    }

    /** A group has ended. */
    public void fail(GroupState group, Failure cause) {
        engines.values().forEach(engine -> engine.failGroup(group.forEngines(), cause));
    }

    /** A group is closed; closing the world's ends the engines, all of them whatever one throws. */
    public void close(GroupState group) {
        Closings closings = new Closings();
        engines.forEach((name, engine) ->
                closings.close("engine=" + name + ", group=" + group.worldRanks(), () -> close(engine, group)));
        closings.end();
    }

    private static void close(CollectiveEngine engine, GroupState group) {
        if (group.isWorld()) {
            engine.close();
        } else {
            engine.closeGroup(group.forEngines());
        }
    }
}
