package io.reactivecomm.internal.base;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A fault of HotSpot's optimizing compiler that can fail or falsify correct calls: JDK-8385993, where allocations meet other values
 * (ReduceAllocationMerges).
 *
 * <p>The library's own code avoids the shape, but programs and libraries around it do not know. docs/reliability.md, "Which JDK", tells more.
 */
public final class CompilerFault {

    /** What keeps the compiler from it. */
    static final String FLAGS = "-XX:+UnlockDiagnosticVMOptions -XX:-ReduceAllocationMerges";

    /** Releases before it have the fault as well, but cannot run this library. */
    private static final int FIRST_RELEASE = 25;

    /** The last release known to have it in all its updates; a later one is taken for mended, and has the flag perhaps no more. */
    private static final int LAST_RELEASE = 27;

    private static final String OPTION = "ReduceAllocationMerges";
    private static final int OPTIMIZING_LEVEL = 4;

    private CompilerFault() {}

    /** {@return what to tell the user of this JVM; empty if it is sound, or cannot be asked} */
    public static Optional<String> warning() {
        try {
            HotSpotDiagnosticMXBean machine = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
            return machine == null
                    ? Optional.empty()
                    : warning(
                            Runtime.version(), name -> machine.getVMOption(name).getValue());
        } catch (LinkageError | IllegalArgumentException e) {
            // A runtime without the module jdk.management, or another machine than HotSpot.
            return Optional.empty();
        }
    }

    /** @param options the machine's options by name; an IllegalArgumentException for one that it does not have, or that is locked */
    static Optional<String> warning(Runtime.Version version, UnaryOperator<String> options) {
        int release = version.feature();
        boolean isAffected = release >= FIRST_RELEASE
                && release <= LAST_RELEASE
                && Integer.parseInt(options.apply("TieredStopAtLevel")) >= OPTIMIZING_LEVEL
                && !"false".equals(unlocked(options));
        return isAffected
                ? Optional.of(
                        "this JVM compiles some correct programs wrongly (JDK-8385993): a NullPointerException for what is not null, or a"
                                + " wrong value, after seconds to hours; version=" + version + "; start it with "
                                + FLAGS)
                : Optional.empty();
    }

    /** {@return the option's value; null while it is locked, and so as it was built} */
    private static @Nullable String unlocked(UnaryOperator<String> options) {
        try {
            return options.apply(OPTION);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
