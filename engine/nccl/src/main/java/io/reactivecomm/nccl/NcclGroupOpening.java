package io.reactivecomm.nccl;

import io.reactivecomm.CommException;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.EngineGroup;
import io.reactivecomm.spi.engine.Turn;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;

/**
 * The opening of a group in its turn: split from another, or by an id that its first member has given to the others over links.
 *
 * <p><b>Threads.</b> The launch stream's; it may be given up from any.
 */
final class NcclGroupOpening implements LaunchQueue.Item {

    private final Turn.Opening turn;
    private final LaunchContext context;
    private final CommMaker maker;
    private final Groups groups;
    private final Mono<byte[]> id;
    private final Runnable look;
    private final int worldRank;
    private Disposable exchange = Disposables.disposed();
    private volatile byte @Nullable [] known;
    private volatile @Nullable Throwable failure;
    private volatile boolean isGivenUp;

    /** The groups of this rank that are open. */
    interface Groups {

        @Nullable NcclGroup find(EngineGroup group);

        /** The opening is over. @param made the communicator, if this rank is a member and it has been made */
        void opened(NcclGroupOpening opening, Optional<NcclGroup> made);

        /** A group cannot go on, because one that was being split from it was given up. */
        void lost(EngineGroup group);
    }

    /**
     * One that waits for its turn.
     *
     * @param id the unique id, if it is not split; all members subscribe
     * @param look has the queue look again
     * @param worldRank this rank
     */
    NcclGroupOpening(
            Turn.Opening turn, LaunchContext context, Groups groups, Mono<byte[]> id, Runnable look, int worldRank) {
        this.turn = turn;
        this.context = context;
        this.maker = new CommMaker(context.setup(), context.calls(), context.stream());
        this.groups = groups;
        this.id = id;
        this.look = look;
        this.worldRank = worldRank;
    }

    EngineGroup group() {
        return turn.group();
    }

    /** The group has failed. */
    void giveUp() {
        isGivenUp = true;
        look.run();
    }

    @Override
    public void prepare() {
        if (turn.from() == null) {
            exchange = id.subscribe(
                    bytes -> {
                        known = bytes;
                        look.run();
                    },
                    cause -> {
                        failure = cause;
                        look.run();
                    });
        }
    }

    @Override
    public boolean isReady() {
        return turn.from() != null || known != null || failure != null || isGivenUp;
    }

    @Override
    public void launch() {
        exchange.dispose();
        Optional<NcclGroup> made = Optional.empty();
        Throwable thrown = null;
        try {
            made = isGivenUp ? Optional.empty() : make();
        } catch (RuntimeException | Error e) {
            thrown = e;
        }
        groups.opened(this, made);
        if (thrown == null) {
            turn.sink().done();
        } else {
            Failure failure = NcclFailures.ofOpening(group(), worldRank, thrown);
            context.tell(thrown, () -> turn.sink().failed(failure));
        }
    }

    private Optional<NcclGroup> make() throws NcclException {
        Throwable thrown = failure;
        if (thrown != null) {
            throw new IllegalStateException("no unique id was received: cause=" + CommException.textOf(thrown), thrown);
        }
        byte[] bytes = known;
        EngineGroup from = turn.from();
        if (from == null && bytes != null) {
            return maker.join(group().worldRanks().size(), bytes, group().rank(), () -> isGivenUp);
        }
        NcclGroup parent = from == null ? null : groups.find(from);
        if (from == null || parent == null) {
            throw new IllegalStateException("what it is split from is not open");
        }
        return maker.split(parent, group(), () -> isGivenUp, () -> groups.lost(from));
    }

    boolean isGivenUp() {
        return isGivenUp;
    }
}
