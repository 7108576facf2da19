package io.reactivecomm.nccl;

import io.reactivecomm.spi.EngineGroup;
import io.reactivecomm.spi.Turn;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;

/**
 * The opening of a group in its turn: split from another, or by an id that its first member has given to the others over links.
 *
 * <p><b>Threads.</b> The launch stream's; it may be given up from any.
 */
final class GroupOpening implements LaunchQueue.Item {

    private final Turn.Opening turn;
    private final CommMaker maker;
    private final Function<EngineGroup, @Nullable NcclGroup> groups;
    private final Mono<byte[]> id;
    private final Runnable look;
    private final int worldRank;
    private final BiConsumer<GroupOpening, Optional<NcclGroup>> over;
    private Disposable exchange = Disposables.disposed();
    private volatile byte @Nullable [] known;
    private volatile @Nullable Throwable failure;
    private volatile boolean isGivenUp;

    /**
     * One that waits for its turn.
     *
     * @param groups those that are open
     * @param id the unique id, if it is not split; all members subscribe
     * @param look has the queue look again
     * @param worldRank this rank
     * @param over is told of the end, with the communicator if this rank is a member and it has been made
     */
    GroupOpening(
            Turn.Opening turn,
            CommMaker maker,
            Function<EngineGroup, @Nullable NcclGroup> groups,
            Mono<byte[]> id,
            Runnable look,
            int worldRank,
            BiConsumer<GroupOpening, Optional<NcclGroup>> over) {
        this.turn = turn;
        this.maker = maker;
        this.groups = groups;
        this.id = id;
        this.look = look;
        this.worldRank = worldRank;
        this.over = over;
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
        try {
            made = isGivenUp ? Optional.empty() : make();
            over.accept(this, made);
            turn.sink().done();
        } catch (RuntimeException | Error e) {
            over.accept(this, made);
            turn.sink().failed(Faults.ofOpening(group(), worldRank, e));
        }
    }

    private Optional<NcclGroup> make() throws NcclException {
        Throwable thrown = failure;
        if (thrown != null) {
            throw new IllegalStateException("no unique id has come: cause=" + thrown.getMessage(), thrown);
        }
        byte[] bytes = known;
        EngineGroup from = turn.from();
        if (from == null && bytes != null) {
            return maker.join(group().worldRanks().size(), bytes, group().rank(), () -> isGivenUp);
        }
        NcclGroup parent = from == null ? null : groups.apply(from);
        if (parent == null) {
            throw new IllegalStateException("what it is split from is not open");
        }
        return maker.split(parent, group(), () -> isGivenUp);
    }

    boolean isGivenUp() {
        return isGivenUp;
    }
}
