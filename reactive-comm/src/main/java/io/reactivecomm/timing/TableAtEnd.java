package io.reactivecomm.timing;

import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The printing of a log's table when its rank leaves the world, or as the JVM exits if the world has not been left by then. What has been printed is not
 * printed again, unless more was recorded: ranks of a local world may share a logger.
 *
 * <p>The hook at the JVM's exit is there only while something is recorded that has not been printed, so it keeps no class loader whose worlds are closed.
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

    /** Something was recorded. */
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
                // The JVM exits already: whoever leaves the world now prints the table.
            }
        }
    }

    private synchronized void exits() {
        hook = null;
        if (isDue) {
            print();
        }
    }

    /** A rank has left its world: the first one prints a table even if nothing was recorded. */
    synchronized void left() {
        Thread added = hook;
        hook = null;
        if (added != null) {
            try {
                Runtime.getRuntime().removeShutdownHook(added);
            } catch (IllegalStateException e) {
                // The JVM exits, and the hook finds nothing to print.
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
