package io.reactivecomm.rcomm.gpu;

import io.reactivecomm.rcomm.gpu.check.CheckRow;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * The rows of one check with its day and place, as they are written to a file.
 *
 * @param date in UTC
 * @param java version of this JVM
 * @param system name and architecture of the operating system
 */
record GpuReport(String date, String java, String system, List<CheckRow> rows) {

    static GpuReport of(List<CheckRow> rows) {
        String system = System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                + System.getProperty("os.arch");
        return new GpuReport(
                Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
                Runtime.version().toString(),
                system,
                rows);
    }

    /** {@return day and place in one line} */
    String heading() {
        return "# gpu-check, " + date + ", Java " + java + ", " + system;
    }

    boolean hasFailures() {
        return rows.stream().anyMatch(row -> row.state() == CheckRow.State.FAILED);
    }
}
