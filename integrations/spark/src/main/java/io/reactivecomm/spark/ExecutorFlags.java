package io.reactivecomm.spark;

import com.sun.management.HotSpotDiagnosticMXBean;
import io.reactivecomm.spi.WarningLog;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;

/** The flags that a JVM of an executor needs, and a warning of those that it lacks. */
final class ExecutorFlags {

    private static final Logger LOG = WarningLog.of(ExecutorFlags.class);

    private static final AtomicBoolean IS_CHECKED = new AtomicBoolean();

    private ExecutorFlags() {}

    static void warnOnce() {
        if (IS_CHECKED.compareAndSet(false, true)) {
            List<String> missing = missing();
            if (!missing.isEmpty()) {
                LOG.warn(
                        "this executor's JVM lacks flags: missing={}; add them to spark.executor.extraJavaOptions, as docs/spark.md lists them",
                        missing);
            }
        }
    }

    /** {@return the flags that this JVM lacks} */
    static List<String> missing() {
        List<String> missing = new ArrayList<>();
        if (!ExecutorFlags.class.getModule().isNativeAccessEnabled()) {
            missing.add("--enable-native-access=ALL-UNNAMED");
        }
        if (ModuleLayer.boot().findModule("jdk.incubator.vector").isEmpty()) {
            missing.add("--add-modules=jdk.incubator.vector");
        }
        if (mergesAllocations()) {
            missing.add("-XX:+UnlockDiagnosticVMOptions -XX:-ReduceAllocationMerges");
        }
        return missing;
    }

    /** {@return whether the compiler may merge allocations, which it does wrongly (docs/reliability.md, "Which JDK")} */
    private static boolean mergesAllocations() {
        HotSpotDiagnosticMXBean machine = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        if (machine == null) {
            return false;
        }
        try {
            return machine.getVMOption("ReduceAllocationMerges").getValue().equals("true");
        } catch (IllegalArgumentException e) {
            // The option is locked, and has its default, in releases of HotSpot that know it.
            return Runtime.version().feature() <= 27;
        }
    }
}
