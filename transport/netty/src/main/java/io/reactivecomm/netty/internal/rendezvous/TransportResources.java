package io.reactivecomm.netty.internal.rendezvous;

import io.reactivecomm.LogRank;
import io.reactivecomm.netty.internal.connection.NettyLoop;
import io.reactivecomm.netty.internal.connection.Sockets;
import io.reactivecomm.netty.internal.life.ControlLinks;
import io.reactivecomm.spi.rendezvous.HostedStore;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Schedulers;

/**
 * The resources that a rank's transport holds and must give back. They are two loops with all their sockets, and the store, with the files
 * that tell its address and its token, if this rank runs it.
 *
 * <p><b>Threads.</b> Any; {@link #close} waits for the threads to end, unless called on a thread that must not block.
 */
public final class TransportResources implements AutoCloseable {

    private final NettyLoop loop;
    private final NettyLoop control;
    private @Nullable ControlLinks controlLinks;
    private @Nullable HostedStore store;
    private @Nullable AddressFile file;
    private @Nullable TokenFile token;
    private boolean closed;
    private volatile boolean handedOver;

    public TransportResources(int rank, int worldSize, Sockets sockets) {
        NettyLoop first = NettyLoop.start("rcomm-loop-" + rank, sockets);
        try {
            control = NettyLoop.start("rcomm-control-" + rank, sockets);
        } catch (RuntimeException | Error e) {
            first.stop();
            throw e;
        }
        loop = first;
        LogRank logRank = new LogRank(rank, worldSize);
        loop.execute(logRank::enter);
        control.execute(logRank::enter);
    }

    public NettyLoop loop() {
        return loop;
    }

    public NettyLoop control() {
        return control;
    }

    public synchronized void hold(ControlLinks links) {
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

    /** Takes a file to remove once the store is closed, or at once if this is closed already. */
    public void hold(TokenFile published) {
        boolean late;
        synchronized (this) {
            late = closed;
            token = published;
        }
        if (late) {
            published.remove();
        }
    }

    /** Removes the file that tells the store's address, if there is one: all who need it have read it. May block. */
    public void removeFile() {
        AddressFile published;
        synchronized (this) {
            published = file;
        }
        if (published != null) {
            published.remove();
        }
    }

    /** Takes a store to close later, or at once if this is closed already. */
    public void hold(HostedStore hosted) {
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
    public void handOver() {
        handedOver = true;
    }

    /** For a cancellation, which may come late: some operators cancel once they have their value. */
    public void closeUnlessHandedOver() {
        if (!handedOver) {
            close();
        }
    }

    /** Deletes files and joins threads; a thread that must not block leaves this to another thread. */
    @Override
    public void close() {
        if (Schedulers.isInNonBlockingThread()) {
            Thread.ofPlatform().daemon().name("rcomm-close").start(this::closeNow);
        } else {
            closeNow();
        }
    }

    private void closeNow() {
        ControlLinks links;
        HostedStore hosted;
        TokenFile published;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            links = controlLinks;
            hosted = store;
            published = token;
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
        if (published != null) {
            // Last: while the store answers, who has no token is a stranger.
            published.remove();
        }
    }
}
