package io.reactivecomm.netty;

import io.reactivecomm.spi.HostedStore;
import org.jspecify.annotations.Nullable;

/**
 * What a rank's transport holds and must give back: two loops with all their sockets, and the store, with the file that tells its address,
 * if this rank runs it.
 *
 * <p><b>Threads.</b> Any; {@link #close} waits for the threads to end, unless called on one of them.
 */
final class Holdings implements AutoCloseable {

    private final NettyLoop loop;
    private final NettyLoop control;
    private @Nullable ControlLinks controlLinks;
    private @Nullable HostedStore store;
    private @Nullable AddressFile file;
    private boolean closed;
    private volatile boolean handedOver;

    Holdings(int rank, Sockets sockets) {
        loop = NettyLoop.start("rcomm-loop-" + rank, sockets);
        control = NettyLoop.start("rcomm-control-" + rank, sockets);
    }

    NettyLoop loop() {
        return loop;
    }

    NettyLoop control() {
        return control;
    }

    synchronized void hold(ControlLinks links) {
        controlLinks = links;
    }

    /** Takes a file to remove later, or at once if this is closed already. */
    void hold(AddressFile published) {
        boolean late;
        synchronized (this) {
            late = closed;
            file = published;
        }
        if (late) {
            published.remove();
        }
    }

    /** Removes the file that tells the store's address, if there is one: all who need it have read it. May block. */
    void removeFile() {
        AddressFile published;
        synchronized (this) {
            published = file;
        }
        if (published != null) {
            published.remove();
        }
    }

    /** Takes a store to close later, or at once if this is closed already. */
    void hold(HostedStore hosted) {
        boolean late;
        synchronized (this) {
            late = closed;
            store = hosted;
        }
        if (late) {
            hosted.close();
        }
    }

    /** From now on the mesh closes this. */
    void handOver() {
        handedOver = true;
    }

    /** For a cancellation, which may come late: some operators cancel once they have their value. */
    void closeUnlessHandedOver() {
        if (!handedOver) {
            close();
        }
    }

    @Override
    public void close() {
        ControlLinks links;
        HostedStore hosted;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            links = controlLinks;
            hosted = store;
        }
        removeFile();
        if (links != null) {
            links.close();
        }
        loop.stop();
        control.stop();
        if (hosted != null) {
            hosted.close();
        }
    }
}
