package io.reactivecomm.rcomm.hosts;

import java.util.List;
import java.util.stream.Stream;

/**
 * A mapping of memory that others may map, too.
 *
 * @param memory its device, inode and name
 * @param isWritten whether this process may write to it
 */
record SharedMapping(String memory, boolean isWritten) {

    private static final int COLUMNS = 6;
    private static final int PERMISSIONS = 1;
    private static final int DEVICE = 3;
    private static final int INODE = 4;
    private static final int NAME = 5;

    /**
     * {@return those among the lines of {@code /proc/PID/maps}}
     * Devices, such as a GPU, are no memory. Nor are the kernel's rings, such as io_uring's, which all have one inode and are each process's own.
     */
    static Stream<SharedMapping> parse(List<String> maps) {
        return maps.stream()
                .map(line -> line.split("\\s+", COLUMNS))
                .filter(columns -> columns.length == COLUMNS && columns[PERMISSIONS].endsWith("s"))
                .filter(columns -> !columns[NAME].startsWith("/dev/") || columns[NAME].startsWith("/dev/shm/"))
                .filter(columns -> !columns[NAME].startsWith("anon_inode:"))
                .map(columns -> new SharedMapping(
                        columns[DEVICE] + " " + columns[INODE] + " " + columns[NAME],
                        columns[PERMISSIONS].contains("w")));
    }
}
