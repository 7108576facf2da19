package io.reactivecomm.testkit.faults;

import com.sun.management.UnixOperatingSystemMXBean;
import io.reactivecomm.testkit.faults.Fault.Requirement;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * The abilities of this machine, found out by trying.
 *
 * <p><b>Threads.</b> Any.
 */
final class MachineAbilities {

    /** Both ends of a flood are in the runner's process. */
    private static final long DESCRIPTORS = 2L * ConnectionFlood.CONNECTIONS + 1_000;

    private final Map<Requirement, Optional<String>> lacks = new EnumMap<>(Requirement.class);

    /** {@return why faults of that need cannot be injected here, or nothing if they can} */
    synchronized Optional<String> lacks(Requirement need) {
        return lacks.computeIfAbsent(need, MachineAbilities::attempt);
    }

    private static Optional<String> attempt(Requirement need) {
        try {
            switch (need) {
                case NOTHING -> {}
                case SIGNALS ->
                    Command.run(
                            "kill", "-0", Long.toString(ProcessHandle.current().pid()));
                case LIMITS ->
                    Command.run(
                            "prlimit",
                            "--pid",
                            Long.toString(ProcessHandle.current().pid()),
                            "--fsize");
                case NETWORK -> new NamespaceNetwork().close();
                case DESCRIPTORS -> requireDescriptors();
            }
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(e.getMessage() == null ? e.toString() : e.getMessage());
        }
    }

    private static void requireDescriptors() throws IOException {
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                && system.getMaxFileDescriptorCount() < DESCRIPTORS) {
            throw new IOException(
                    "too few open files: limit=" + system.getMaxFileDescriptorCount() + ", needed=" + DESCRIPTORS);
        }
    }
}
