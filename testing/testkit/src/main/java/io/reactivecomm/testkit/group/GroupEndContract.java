package io.reactivecomm.testkit.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommException;
import io.reactivecomm.GroupClosedException;
import io.reactivecomm.PeerLostException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.testkit.GroupWorld;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Signal;
import reactor.core.publisher.SignalType;
import reactor.core.scheduler.Schedulers;

/** The contract of what {@code ended()} says of a group, to ranks that call nothing. */
public abstract class GroupEndContract extends GroupWorld {

    private static CompletableFuture<Signal<Void>> ended(ProcessGroup group) {
        return group.ended().materialize().toFuture().thenApply(Objects::requireNonNull);
    }

    private static List<CompletableFuture<Signal<Void>>> ended(List<ProcessGroup> groups) {
        return groups.stream().map(GroupEndContract::ended).toList();
    }

    private static Signal<Void> await(CompletableFuture<Signal<Void>> end) {
        return end.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
    }

    private static void requireClosed(CompletableFuture<Signal<Void>> end) {
        assertThat(await(end).getType()).isEqualTo(SignalType.ON_COMPLETE);
    }

    private static void requireAborted(CompletableFuture<Signal<Void>> end, String reason) {
        assertThat(await(end).getThrowable())
                .isInstanceOf(GroupClosedException.class)
                .hasMessageContaining("reason=" + reason);
    }

    @Tag("smoke")
    @Test
    void close_isTheEndForThatRank_andNoneForTheOthers() {
        List<ProcessGroup> world = world(3);
        List<ProcessGroup> made = group(world, 0, 1, 2);
        List<CompletableFuture<Signal<Void>>> ends = ended(made);
        CompletableFuture<Boolean> onLoop = new CompletableFuture<>();
        made.get(1)
                .ended()
                .doFinally(end -> onLoop.complete(Schedulers.isInNonBlockingThread()))
                .subscribe();

        made.get(1).named("a view").close();

        requireClosed(ends.get(1));
        assertThat(onLoop.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join()).isTrue();
        requireClosed(ended(made.get(1)));
        assertThat(end(begin(made.get(0).barrier()))
                        .error(PeerLostException.class)
                        .rank())
                .isEqualTo(1);
        requireTogether(world);
        assertThat(ends.get(0)).isNotDone();
        assertThat(ends.get(2)).isNotDone();
        made.get(0).close();
        requireClosed(ends.get(0));
        made.get(2).abort("after the others");
        requireAborted(ends.get(2), "after the others");
    }

    @Test
    void abort_isTheEndOnEachRank_withItsReason() {
        List<ProcessGroup> world = world(3);
        List<ProcessGroup> made = group(world, 2, 0, 1);
        List<ProcessGroup> other = group(world, 0, 1, 2);
        List<CompletableFuture<Signal<Void>>> ends = new ArrayList<>(ended(made));
        made.forEach(each -> ends.add(ended(each.named("a view"))));
        List<CompletableFuture<Signal<Void>>> others =
                Stream.concat(ended(world).stream(), ended(other).stream()).toList();

        made.get(1).abort("diverged");
        made.get(1).close();

        ends.forEach(end -> requireAborted(end, "diverged"));
        made.forEach(each -> requireAborted(ended(each), "diverged"));
        requireTogether(other);
        assertThat(others).noneMatch(CompletableFuture::isDone);
    }

    /** Pending calls are told before the group's end is. */
    @Tag("smoke")
    @Test
    void abort_isToldAfterTheCallsThatItFails() {
        List<ProcessGroup> world = world(2);
        List<String> told = new ArrayList<>();
        CompletableFuture<Void> both = new CompletableFuture<>();
        world.get(0)
                .ended()
                .doOnError(error -> told.add("end"))
                .doFinally(end -> both.complete(null))
                .subscribe(null, error -> {});
        world.get(0).barrier().subscribe(null, error -> told.add("call"));
        world.get(0).abort("enough");
        both.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
        assertThat(told).containsExactly("call", "end");
    }

    @Test
    void close_ofTheWorld_isTheEndOfItsGroups() {
        List<ProcessGroup> world = world(3);
        List<ProcessGroup> made = group(world, 0, 2);
        List<CompletableFuture<Signal<Void>>> ofWorld = ended(world);
        List<CompletableFuture<Signal<Void>>> ofMade = ended(made);

        world.get(0).close();

        requireClosed(ofWorld.get(0));
        requireClosed(ofMade.get(0));
        requireClosed(ended(world.get(0)));
        end(begin(world.get(1).barrier())).error(CommException.class);
        assertThat(List.of(ofWorld.get(1), ofWorld.get(2), ofMade.get(1))).noneMatch(CompletableFuture::isDone);
        world.forEach(ProcessGroup::close);
        ofWorld.forEach(GroupEndContract::requireClosed);
        ofMade.forEach(GroupEndContract::requireClosed);
    }

    /** On the loop nobody can wait for what the loop has still to send. */
    @Test
    void close_ofTheWorld_onItsLoop_isItsEnd() {
        List<ProcessGroup> world = world(2);
        List<CompletableFuture<Signal<Void>>> ends = ended(world);
        all(world, group -> group.barrier().doOnNext(work -> group.close()));
        ends.forEach(GroupEndContract::requireClosed);
    }

    @Test
    void subscription_thatIsCancelled_hearsNothing_andTheOthersDo() {
        ProcessGroup group = world(1).getFirst();
        List<String> told = new ArrayList<>();
        group.ended()
                .doFinally(end -> told.add("cancelled: " + end))
                .subscribe()
                .dispose();
        CompletableFuture<Signal<Void>> end = ended(group);
        group.close();
        requireClosed(end);
        assertThat(told).containsExactly("cancelled: cancel");
    }
}
