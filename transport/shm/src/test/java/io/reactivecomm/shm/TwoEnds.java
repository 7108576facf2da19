package io.reactivecomm.shm;

import io.reactivecomm.Traffic;
import io.reactivecomm.spi.FatalErrors;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.Link;
import io.reactivecomm.spi.link.LinkEvents;
import io.reactivecomm.spi.link.Loan;
import io.reactivecomm.spi.link.PeerNews;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Both ends of a link through shared memory on one thread, which polls them when it likes; the links behind them only note what they are
 * told.
 */
final class TwoEnds implements AutoCloseable {

    /** Of the smallest rings. */
    static final SharedFileLayout LAYOUT = new SharedFileLayout(2, 16 << 10, 64 << 20);

    final End near;
    final End far;

    TwoEnds() throws IOException {
        this(LAYOUT);
    }

    TwoEnds(SharedFileLayout layout) throws IOException {
        near = new End(0, layout);
        far = new End(1, layout);
        near.link = near.linkTo(far);
        far.link = far.linkTo(near);
        near.link.start(near);
        far.link.start(far);
    }

    /** Polls both until neither finds anything. */
    void settle() {
        for (int i = 0; i < 10_000; i++) {
            boolean pending = near.link.isPending() || far.link.isPending();
            if (!(near.link.poll() | far.link.poll()) && !pending) {
                return;
            }
        }
        throw new AssertionError("the ends never come to rest");
    }

    @Override
    public void close() {
        near.link.free();
        far.link.free();
        near.close();
        far.close();
    }

    /** One rank: its memory, its link, and what it was told. */
    static final class End implements LinkEvents {

        final int rank;
        final SharedFileLayout layout;
        final SharedFile file;
        final SharedHeap heap;
        final CopyPool copies;
        final Control control;
        final List<Frame> frames = new ArrayList<>();
        final List<Loan> loans = new ArrayList<>();
        final List<Frame.Data> written = new ArrayList<>();
        final List<byte[]> payloads = new ArrayList<>();
        ShmLink link;
        boolean down;

        @Nullable String cause;

        private byte[] arriving = {};

        private End(int rank, SharedFileLayout layout) throws IOException {
            this.rank = rank;
            this.layout = layout;
            this.file = SharedFile.create(layout.fileBytes());
            file.reserve(0, layout.heapFrom());
            this.heap = new SharedHeap(file, layout.heapFrom(), layout.fileBytes() - layout.heapFrom());
            this.copies = new CopyPool(heap);
            this.control = new Control(1 - rank);
        }

        private ShmLink linkTo(End peer) throws IOException {
            Arena arena = Arena.ofShared();
            MemorySegment view =
                    SharedFile.view(ProcessHandle.current().pid(), peer.file.descriptor(), layout.fileBytes(), arena);
            return new ShmLink(
                    rank, layout, file.memory(), copies, new HostPeer(peer.rank, view, arena, control), new NoLoop());
        }

        /** Frees its memory, though some of it is still taken. */
        private void close() {
            copies.close();
            heap.close();
            if (file.memory().scope().isAlive()) {
                file.close();
            }
        }

        /** Where this rank's words for the other are. */
        long controlBlock() {
            return layout.controlBlock(1 - rank);
        }

        /** Where this rank's ring to the other is. */
        long ring() {
            return layout.ring(1 - rank);
        }

        void write(Frame frame) {
            link.write(frame);
            link.flush();
        }

        @Override
        public void onFrame(Link from, Frame frame) {
            frames.add(frame.kept());
        }

        @Override
        public MemorySegment onDataStart(Link from, long grant, int lengthBytes) {
            arriving = new byte[lengthBytes];
            return MemorySegment.ofArray(arriving);
        }

        @Override
        public void onDataEnd(Link from, long grant) {
            payloads.add(arriving);
        }

        @Override
        public void onDataFailed(Link from, long grant, Throwable fault) {
            throw new AssertionError("a payload's place is gone: grant=" + grant, fault);
        }

        @Override
        public void onDataLent(Link from, long grant, Loan loan) {
            loans.add(loan);
        }

        @Override
        public void onWritten(Link from, Frame.Data frame) {
            written.add(frame);
        }

        @Override
        public void onWriteFailed(Link from, Frame.Data frame, Throwable fault) {
            throw new AssertionError("a payload's memory is gone: grant=" + frame.grant(), fault);
        }

        @Override
        public void onWritable(Link from) {}

        @Override
        public void onNews(PeerNews news) {
            throw new AssertionError("a link of two ends has no news: " + news);
        }

        @Override
        public void onDown(Link from, @Nullable String why) {
            down = true;
            cause = why;
        }
    }

    /** The link that was there before. */
    static final class Control implements Link {

        final List<Frame> frames = new ArrayList<>();
        boolean closed;
        private final int peer;

        private Control(int peer) {
            this.peer = peer;
        }

        @Override
        public int peer() {
            return peer;
        }

        @Override
        public boolean isWritable() {
            return true;
        }

        @Override
        public boolean copiesEagerBytes() {
            return false;
        }

        @Override
        public void write(Frame frame) {
            frames.add(frame);
        }

        @Override
        public void flush() {}

        @Override
        public void withdraw(Frame.Data frame) {}

        @Override
        public void drain(long grant) {}

        @Override
        public Traffic traffic() {
            return Traffic.NONE;
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    /** Keeps no time: what is scheduled never comes. */
    private static final class NoLoop implements Loop {

        @Override
        public FatalErrors fatalErrors() {
            throw new AssertionError("nobody ends here");
        }

        @Override
        public boolean inLoop() {
            return true;
        }

        @Override
        public long nanoTime() {
            return 0;
        }

        @Override
        public Timer schedule(Runnable task, long delayNanos) {
            return () -> {};
        }

        @Override
        public Thread thread() {
            return Thread.currentThread();
        }

        @Override
        public void execute(Runnable task) {
            throw new UnsupportedOperationException("a link that posts to its loop");
        }
    }
}
