package io.reactivecomm.timing;

import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The printer of a log's table when its rank leaves the world, or when the JVM exits before that. The ranks of a local world may share a logger, so the table is
 * printed again only if more calls were recorded.
 *
 * <p>The shutdown hook exists only while recorded calls have not been printed. So it does not keep the class loader of closed worlds reachable.
 *
 * <p><b>Threads.</b> Any.
 */
final class TableAtEnd {

    private final Supplier<String> table;
    private final Consumer<String> printer;
    /** Guarded by this. */
    private @Nullable Thread hook;

    private volatile boolean isDue;
    private boolean hasPrinted;

    /** @param printer takes the whole table at once, so that tables of several ranks do not mix */
    TableAtEnd(Supplier<String> table, Consumer<String> printer) {
        this.table = table;
        this.printer = printer;
    }

    /** Notes that a call was recorded. */
    void recorded() {
        if (!isDue) {
            become();
        }
    }

    private synchronized void become() {
        isDue = true;
        if (hook == null) {
            Thread added = new Thread(this::exits, "rcomm-comms-log");
            try {
                Runtime.getRuntime().addShutdownHook(added);
                hook = added;
            } catch (IllegalStateException e) {
                // The JVM is shutting down: the table is printed if this rank still leaves its world.
            }
        }
    }

    private synchronized void exits() {
        hook = null;
        if (isDue) {
            print();
        }
    }

    /** Prints the table because a rank has left its world; the first time even if nothing was recorded. */
    synchronized void left() {
        Thread added = hook;
        hook = null;
        if (added != null) {
            try {
                Runtime.getRuntime().removeShutdownHook(added);
            } catch (IllegalStateException e) {
                // The JVM is shutting down, and the hook will have nothing to print.
            }
        }
        if (isDue || !hasPrinted) {
            print();
        }
    }

    private void print() {
        isDue = false;
        hasPrinted = true;
        printer.accept(table.get());
    }
}
