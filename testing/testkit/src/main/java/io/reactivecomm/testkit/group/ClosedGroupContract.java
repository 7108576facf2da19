package io.reactivecomm.testkit.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.GroupClosedException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.GroupWorld;
import io.reactivecomm.testkit.GuardedMemory;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Calls of a group that this rank has closed or aborted. From the moment in which that returns each fails with a
 * {@link GroupClosedException}, whatever it is, whenever it was assembled and wherever it is subscribed to.
 */
public abstract class ClosedGroupContract extends GroupWorld {

    /** The way in which a rank ends a group for itself. */
    enum Ending {
        CLOSE("the group was closed: rank=0; end all calls before close") {
            @Override
            void end(ProcessGroup group) {
                group.close();
            }
        },
        CLOSE_OF_A_VIEW("the group was closed: rank=0; end all calls before close") {
            @Override
            void end(ProcessGroup group) {
                group.named("a view").priority(3).close();
            }
        },
        ABORT("the group was aborted: rank=0, reason=enough; connect anew") {
            @Override
            void end(ProcessGroup group) {
                group.abort("enough");
            }
        };

        private final String text;

        Ending(String text) {
            this.text = text;
        }

        abstract void end(ProcessGroup group);
    }

    /** {@return how often to end a group of one rank and call: where that is cheap, often enough to find what goes wrong by the way} */
    protected int tries() {
        return 100;
    }

    /** {@return how a call of any kind will have failed} */
    private static CompletableFuture<Throwable> error(Publisher<?> call) {
        CompletableFuture<Throwable> end = new CompletableFuture<>();
        Flux.from(call)
                .subscribe(
                        value -> end.completeExceptionally(
                                new AssertionError("a call of a group that is closed has a result: " + value)),
                        end::complete,
                        () -> end.completeExceptionally(
                                new AssertionError("a call of a group that is closed has succeeded")));
        return end;
    }

    private static void requireRefused(String what, Publisher<?> call, Ending ending) {
        requireRefused(what, error(call), ending);
    }

    private static void requireRefused(String what, CompletableFuture<Throwable> error, Ending ending) {
        assertThat(error.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join())
                .as(what)
                .isInstanceOf(GroupClosedException.class)
                .hasMessageContaining(ending.text);
    }

    /** The same thread ends the group and calls. */
    @Tag("smoke")
    @ParameterizedTest
    @EnumSource(names = {"CLOSE", "ABORT"})
    void call_rightAfterTheEnd_ofAGroupOfOne_isRefused(Ending ending) {
        ProcessGroup world = world(1).getFirst();
        for (int i = 0; i < tries(); i++) {
            ProcessGroup group = Objects.requireNonNull(world.newGroup(0).block(LIMIT));
            Mono<Work> early = group.barrier();
            ending.end(group);
            requireRefused("assembled before", early, ending);
            requireRefused("assembled after", group.barrier(), ending);
            group.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void call_ofEachKind_afterTheEndOfAGroup_isRefused(Ending ending) {
        List<ProcessGroup> world = world(4);
        try (GuardedMemory memory = new GuardedMemory()) {
            refuseAll(group(world, 0, 1, 2, 3), ending, memory);
        }
        requireTogether(world);
    }

    @ParameterizedTest
    @EnumSource
    void call_ofEachKind_afterTheEndOfTheWorld_isRefused(Ending ending) {
        try (GuardedMemory memory = new GuardedMemory()) {
            refuseAll(world(4), ending, memory);
        }
    }

    /** On the loop itself nothing that is asked for happens before the callback returns. */
    @ParameterizedTest
    @EnumSource
    void callback_thatEndsItsGroupAndCalls_isRefused(Ending ending) {
        List<ProcessGroup> world = world(4);
        ProcessGroup alone = group(world, 0).getFirst();
        try (GuardedMemory memory = new GuardedMemory()) {
            for (ProcessGroup group : List.of(group(world, 0, 1, 2, 3).getFirst(), world.getFirst())) {
                Map<String, CompletableFuture<Throwable>> errors = Objects.requireNonNull(alone.barrier()
                        .map(work -> endAndCall(group, ending, memory))
                        .block(LIMIT));
                errors.forEach((kind, error) -> requireRefused(kind, error, ending));
            }
        }
    }

    private static Map<String, CompletableFuture<Throwable>> endAndCall(
            ProcessGroup group, Ending ending, GuardedMemory memory) {
        Map<String, CompletableFuture<Throwable>> errors = new LinkedHashMap<>();
        ending.end(group);
        new CallKinds(memory).of(group).forEach((kind, call) -> errors.put(kind, error(call)));
        return errors;
    }

    @Test
    void abort_afterClose_changesNothing_andCloseAfterAbort_keepsTheReason() {
        List<ProcessGroup> world = world(3);
        List<ProcessGroup> closed = group(world, 0, 1, 2);
        closed.get(0).close();
        closed.get(0).abort("too late");
        requireRefused("after close and abort", closed.get(0).barrier(), Ending.CLOSE);
        if (messagesOutlastMembers()) {
            requireMessage(closed.get(1), closed.get(2));
        }

        List<ProcessGroup> aborted = group(world, 0, 1, 2);
        aborted.get(0).abort("enough");
        aborted.get(0).abort("more than enough");
        aborted.get(0).close();
        requireRefused("after abort and close", aborted.get(0).barrier(), Ending.ABORT);
        requireTold(world);
        aborted.get(1).abort("too late");
        requireRefused("on another rank", aborted.get(1).barrier(), Ending.ABORT);
        requireRefused("on a third rank", aborted.get(2).barrier(), Ending.ABORT);
        requireTogether(world);
    }

    private static void refuseAll(List<ProcessGroup> members, Ending ending, GuardedMemory memory) {
        ProcessGroup group = members.getFirst();
        CallKinds kinds = new CallKinds(memory);
        Map<String, Publisher<?>> early = kinds.of(group);
        // The others leave at the same time: that is no reason for a call of a group that has ended here.
        Thread others = Thread.ofPlatform()
                .start(() -> members.subList(1, members.size()).forEach(ProcessGroup::close));
        ending.end(group);
        early.forEach((kind, call) -> requireRefused(kind + ", assembled before", call, ending));
        kinds.of(group).forEach((kind, call) -> requireRefused(kind + ", assembled after", call, ending));
        kinds.of(group.named("a view")).forEach((kind, call) -> requireRefused(kind + " of a view", call, ending));
        join(others);
    }

    private static void join(Thread thread) {
        try {
            thread.join(LIMIT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        assertThat(thread.isAlive()).isFalse();
    }

    @Tag("smoke")
    @Test
    void worldsGroup_abortedThenClosed_keepsTheReason() {
        ProcessGroup group = world(2).getFirst();
        group.abort("enough");
        group.close();
        assertThat(end(begin(group.barrier())).error(GroupClosedException.class))
                .hasMessageContaining("reason=enough");
        assertThat(end(begin(group.named("other").barrier())).error(GroupClosedException.class))
                .hasMessageContaining("reason=enough");
    }
}
