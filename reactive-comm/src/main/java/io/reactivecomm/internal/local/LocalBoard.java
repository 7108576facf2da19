package io.reactivecomm.internal.local;

import io.reactivecomm.CommException;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.spi.BoardPage;
import io.reactivecomm.spi.BoardReader;
import io.reactivecomm.spi.JobBoard;
import io.reactivecomm.spi.LiveBoard;
import java.time.Duration;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/**
 * The board of a world in one JVM.
 *
 * <p><b>Threads.</b> Any, one at a time. Signals come on the thread that asks, or on that of a watcher who looks.
 */
final class LocalBoard {

    private final JobBoard board = new JobBoard();
    private final int worldSize;
    private int open;

    LocalBoard(int worldSize) {
        this.worldSize = worldSize;
        this.open = worldSize;
    }

    /** {@return a rank's side of it} */
    LiveBoard ofRank(int rank) {
        return new Side(rank);
    }

    /** A rank has closed its world. */
    synchronized void left(LiveBoard side) {
        board.leave(side, System.nanoTime());
        open--;
    }

    private synchronized boolean areAllGone() {
        return open == 0;
    }

    /** {@return a watcher's sight of it} */
    BoardReader reader() {
        return new Reader();
    }

    /** {@return what the board answers; nobody else is at it meanwhile} */
    synchronized <T> T on(Function<JobBoard, T> question) {
        return question.apply(board);
    }

    /** {@return the board's answer, or its refusal as it comes from another process} */
    private <T> Mono<T> ask(Function<JobBoard, T> question) {
        return Mono.fromSupplier(() -> on(question))
                .onErrorMap(
                        IllegalArgumentException.class,
                        refused -> new RendezvousException(CommException.textOf(refused), refused));
    }

    private final class Side implements LiveBoard {

        private final int rank;

        Side(int rank) {
            this.rank = rank;
        }

        @Override
        public Mono<Duration> watched() {
            return Mono.create(sink -> on(known -> {
                known.enter(this, rank, worldSize, System.nanoTime());
                known.await(this, sink::success, System.nanoTime());
                return true;
            }));
        }

        @Override
        public Mono<Duration> publish(byte[] record) {
            return ask(known -> known.publish(this, record, System.nanoTime()));
        }
    }

    private final class Reader implements BoardReader {

        private boolean sawTheLast;

        /** {@return whether it has been seen as it was when all had gone: that once more, and then nothing} */
        private boolean isOver(BoardPage page) {
            boolean was = sawTheLast;
            sawTheLast = areAllGone() && (was || page.next() == BoardPage.LAST);
            return was;
        }

        @Override
        public Mono<BoardPage> look(int first, Duration every) {
            return ask(known -> known.look(this, first, every, System.nanoTime()))
                    .filter(page -> !isOver(page));
        }

        @Override
        public void close() {
            on(known -> {
                known.end(this, System.nanoTime());
                return true;
            });
        }
    }
}
