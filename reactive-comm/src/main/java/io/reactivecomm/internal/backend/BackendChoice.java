package io.reactivecomm.internal.backend;

import io.reactivecomm.RendezvousException;
import io.reactivecomm.device.Device;
import io.reactivecomm.internal.base.Providers;
import io.reactivecomm.internal.engine.Submission;
import io.reactivecomm.spi.engine.EngineProvider;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The choice of an engine for each kind of device, as {@code cpu:links,cuda:nccl}.
 *
 * <p>An engine without a device is chosen for all devices that it takes, except those for which another engine is named: {@code mpi,cuda:nccl}. Links serve the
 * host's tensors if no engine is named for them.
 *
 * @param text the choice as it was written
 * @param engines the name of each device's engine
 */
public record BackendChoice(String text, Map<String, String> engines) {

    /** The engine over links. */
    public static final String LINKS = Submission.BACKEND;

    private static final String HOST = Device.CPU.kind();

    /** Links for the host's memory, and nothing else. */
    static final BackendChoice LINKS_ONLY = new BackendChoice(HOST + ":" + LINKS, Map.of(HOST, LINKS));

    /**
     * Reads a choice.
     *
     * @throws RendezvousException if it cannot be read, names an engine that is not there, or a device that its engine does not take
     */
    static BackendChoice of(String choice) {
        Map<String, String> engines = new TreeMap<>();
        for (String entry : choice.split(",", -1)) {
            String text = entry.strip();
            String engine = engine(text);
            for (String device : text.contains(":") ? Set.of(device(text)) : notNamed(devices(engine), choice)) {
                requireTaken(choice, text, device, engine);
                if (engines.put(device, engine) != null) {
                    throw unreadable(choice, text, "one engine for each device");
                }
            }
        }
        engines.putIfAbsent(HOST, LINKS);
        return new BackendChoice(choice, engines);
    }

    private static String device(String entry) {
        return entry.substring(0, entry.indexOf(':'));
    }

    /** {@return the devices that no entry of a choice names; all of them if entries name all, so that the choice is refused as ambiguous} */
    private static Set<String> notNamed(Set<String> devices, String choice) {
        Set<String> left = new TreeSet<>(devices);
        for (String entry : choice.split(",", -1)) {
            if (entry.contains(":")) {
                left.remove(device(entry.strip()));
            }
        }
        return left.isEmpty() ? devices : left;
    }

    /** {@return the engines that a choice names, also if it cannot be read} */
    public static Set<String> named(String choice) {
        Set<String> engines = new TreeSet<>();
        for (String entry : choice.split(",", -1)) {
            engines.add(engine(entry.strip()));
        }
        return engines;
    }

    /** {@return the engine of an entry} The host's device alone stands for links. */
    private static String engine(String entry) {
        return entry.equals(HOST) ? LINKS : entry.substring(entry.indexOf(':') + 1);
    }

    private static void requireTaken(String choice, String entry, String device, String engine) {
        if (device.isEmpty() || engine.isEmpty()) {
            throw unreadable(choice, entry, "a device and an engine");
        }
        if (!devices(engine).contains(device)) {
            throw unreadable(choice, entry, "a device that the engine takes: " + new TreeSet<>(devices(engine)));
        }
    }

    private static RendezvousException unreadable(String choice, String entry, String wanted) {
        return new RendezvousException("cannot read the choice of engines: backend=" + choice + ", entry=" + entry
                + "; write " + wanted + ", such as cpu:links,cuda:nccl");
    }

    private static Set<String> devices(String engine) {
        return engine.isEmpty() || engine.equals(LINKS)
                ? Set.of(HOST)
                : provider(engine).devices();
    }

    /**
     * {@return the provider of an engine}
     *
     * @throws RendezvousException if the class path has no engine of that name
     */
    static EngineProvider provider(String engine) {
        Set<String> known = new TreeSet<>(Set.of(LINKS));
        Providers<EngineProvider> providers = Providers.of(EngineProvider.class);
        for (EngineProvider provider : providers.loaded()) {
            if (provider.name().equals(engine)) {
                return provider;
            }
            known.add(provider.name());
        }
        throw new RendezvousException("no such engine on the class path: engine=" + engine + ", known=" + known
                + providers.failuresText() + "; add the module that has it, or choose another backend");
    }

    /** {@return the names of the engines other than links, in the order in which all ranks open them} */
    Set<String> others() {
        Set<String> names = new TreeSet<>(engines.values());
        names.remove(LINKS);
        return names;
    }

    /** {@return the kinds of devices for which an engine is chosen} */
    Set<String> devicesOf(String engine) {
        return engines.keySet().stream()
                .filter(device -> engine.equals(engines.get(device)))
                .collect(Collectors.toSet());
    }

    /** {@return the name of a device's engine, or null} */
    @Nullable String engine(Device device) {
        return engines.get(device.kind());
    }
}
