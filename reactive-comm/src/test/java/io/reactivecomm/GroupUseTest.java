package io.reactivecomm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Signal;
import reactor.core.publisher.SignalType;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** A program's group is closed when the program returns, and aborted with the reason when it fails. */
@Timeout(30)
class GroupUseTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final LocalWorld world = ReactiveComm.local(3);

    @AfterEach
    void close() {
        Thread.interrupted();
        world.close();
    }

    private Mono<ProcessGroup> group(int rank) {
        return Mono.just(world.groups().get(rank));
    }

    private CompletableFuture<Signal<Work>> pending(ProcessGroup group) {
        return group.barrier().materialize().toFuture().thenApply(Objects::requireNonNull);
    }

    /** {@return the error of a call} */
    private static Throwable error(CompletableFuture<Signal<Work>> call) {
        return Objects.requireNonNull(
                call.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join().getThrowable());
    }

    private static void requireReason(CompletableFuture<Signal<Work>> call, String reason) {
        assertThat(error(call))
                .isInstanceOf(GroupClosedException.class)
                .hasMessageContaining("rank=1, reason=" + reason);
    }

    private SignalType endOf(int rank) {
        return Objects.requireNonNull(
                        world.groups().get(rank).ended().materialize().block(PATIENCE))
                .getType();
    }

    @Test
    void using_programReturns_closesTheGroup() {
        int rank = ReactiveComm.using(group(1), ProcessGroup::rank);

        assertThat(rank).isEqualTo(1);
        assertThat(endOf(1)).isEqualTo(SignalType.ON_COMPLETE);
        assertThat(error(pending(world.groups().get(0))))
                .isInstanceOf(PeerLostException.class)
                .hasMessageContaining("in good order");
    }

    @Test
    void using_programWithoutAResult_returnsNull() {
        List<Integer> ranks = new ArrayList<>();
        Object none = ReactiveComm.using(group(1), group -> {
            ranks.add(group.rank());
            return null;
        });
        assertThat(none).isNull();
        assertThat(ranks).containsExactly(1);
    }

    @Test
    void using_programThrows_abortsWithItsText() {
        IOException problem = new IOException("no more data");
        CompletableFuture<Signal<Work>> pending = pending(world.groups().get(0));

        assertThatThrownBy(() -> ReactiveComm.using(group(1), group -> {
                    throw problem;
                }))
                .isSameAs(problem);

        requireReason(pending, "java.io.IOException: no more data");
        requireReason(pending(world.groups().get(2)), "java.io.IOException: no more data");
        assertThat(problem.getSuppressed()).isEmpty();
    }

    @Test
    void using_checkedException_isDeclaredByItsType() {
        String said = "";
        try {
            ReactiveComm.using(group(1), group -> readNothing());
        } catch (IOException e) {
            said = e.getMessage();
        }
        assertThat(said).isEqualTo("nothing");
    }

    private static int readNothing() throws IOException {
        throw new IOException("nothing");
    }

    @Test
    void using_programFailsWithAnError_abortsToo() {
        AssertionError problem = new AssertionError("loss is not a number");
        assertThat(catchThrowable(() -> ReactiveComm.using(group(1), group -> {
                    throw problem;
                })))
                .isSameAs(problem);
        requireReason(pending(world.groups().get(0)), "java.lang.AssertionError: loss is not a number");
    }

    @Test
    void using_programThrows_groupsMadeOfTheWorldEndAlike() {
        List<CompletableFuture<ProcessGroup>> making = world.groups().stream()
                .map(group -> group.newGroup(0, 1, 2).toFuture())
                .toList();
        List<ProcessGroup> made = making.stream()
                .map(each ->
                        each.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join())
                .toList();
        CompletableFuture<Signal<Work>> pending = pending(made.get(0));

        assertThat(catchThrowable(() -> ReactiveComm.using(group(1), group -> {
                    throw new IllegalStateException("planted");
                })))
                .hasMessage("planted");

        requireReason(pending, "java.lang.IllegalStateException: planted");
        requireReason(pending(made.get(2)), "java.lang.IllegalStateException: planted");
    }

    @Test
    void using_interruptedProgram_tellsItsReasonAndStaysInterrupted() {
        CompletableFuture<Signal<Work>> pending = pending(world.groups().get(0));
        assertThat(catchThrowable(() -> ReactiveComm.using(group(1), group -> {
                    Thread.currentThread().interrupt();
                    throw new IllegalStateException("stopped");
                })))
                .hasMessage("stopped");
        assertThat(Thread.interrupted()).isTrue();
        requireReason(pending, "java.lang.IllegalStateException: stopped");
    }

    @Test
    void using_theEndFailsToo_isSuppressed() {
        IllegalStateException ofAbort = new IllegalStateException("abort");
        IllegalStateException ofClose = new IllegalStateException("close");
        ProcessGroup broken = (ProcessGroup) Proxy.newProxyInstance(
                ProcessGroup.class.getClassLoader(),
                new Class<?>[] {ProcessGroup.class},
                (proxy, method, arguments) -> {
                    throw method.getName().equals("abort") ? ofAbort : ofClose;
                });
        IllegalArgumentException problem = new IllegalArgumentException("planted");

        assertThat(catchThrowable(() -> ReactiveComm.using(Mono.just(broken), group -> {
                    throw problem;
                })))
                .isSameAs(problem);
        assertThat(problem.getSuppressed()).containsExactly(ofAbort);
        assertThat(ofAbort.getSuppressed()).containsExactly(ofClose);
        assertThat(catchThrowable(() -> ReactiveComm.using(Mono.just(broken), group -> 1)))
                .isSameAs(ofClose);
    }

    @Test
    void using_noGroup_doesNotRunTheProgram() {
        RendezvousException missing = new RendezvousException("nobody is there");
        assertThat(catchThrowable(() -> ReactiveComm.using(Mono.error(missing), ProcessGroup::rank)))
                .isSameAs(missing);
        assertThat(catchThrowable(() -> ReactiveComm.using(Mono.empty(), ProcessGroup::rank)))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("group=none");
    }

    @Test
    void usingWhen_programCompletes_closesBeforeTheResultIsEmitted() {
        ReactiveComm.usingWhen(group(1), group -> Mono.just(group.rank()))
                .doOnNext(rank -> assertThat(endOf(1)).isEqualTo(SignalType.ON_COMPLETE))
                .doOnNext(rank -> assertThat(Schedulers.isInNonBlockingThread()).isFalse())
                .as(StepVerifier::create)
                .expectNext(1)
                .expectComplete()
                .verify(PATIENCE);
        StepVerifier.create(ReactiveComm.usingWhen(group(0), group -> Mono.empty()))
                .expectComplete()
                .verify(PATIENCE);
        assertThat(endOf(0)).isEqualTo(SignalType.ON_COMPLETE);
    }

    @Test
    void usingWhen_programFails_abortsWithItsText() {
        IOException problem = new IOException("no more data");
        CompletableFuture<Signal<Work>> pending = pending(world.groups().get(0));
        StepVerifier.create(ReactiveComm.usingWhen(group(1), group -> Mono.error(problem)))
                .expectErrorMatches(problem::equals)
                .verify(PATIENCE);
        requireReason(pending, "java.io.IOException: no more data");
        assertThat(problem.getSuppressed()).isEmpty();
    }

    /** Reactor would let both pass to the thread that connects, and signal nothing. */
    @Test
    void usingWhen_programThrowsAnErrorAsItBegins_abortsWithItsText() {
        for (Error problem : List.of(new AssertionError("planted"), new NoClassDefFoundError("planted"))) {
            try (LocalWorld own = ReactiveComm.local(2)) {
                CompletableFuture<Signal<Work>> other = pending(own.groups().get(0));
                StepVerifier.create(ReactiveComm.usingWhen(
                                Mono.just(own.groups().get(1)),
                                group -> Mono.fromCallable(() -> {
                                    throw problem;
                                })))
                        .expectErrorMatches(problem::equals)
                        .verify(PATIENCE);
                requireReason(other, problem.toString());
            }
        }
    }

    @Test
    void usingWhen_functionThrows_abortsWithItsText() {
        StepVerifier.create(ReactiveComm.usingWhen(group(1), group -> {
                    throw new IllegalStateException("planted");
                }))
                .expectErrorMessage("planted")
                .verify(PATIENCE);
        requireReason(pending(world.groups().get(0)), "java.lang.IllegalStateException: planted");
    }

    @Test
    void usingWhen_cancelled_abortsAndSaysSo() {
        CompletableFuture<Signal<Work>> pending = pending(world.groups().get(0));
        StepVerifier.create(ReactiveComm.usingWhen(group(1), group -> Mono.never()))
                .thenCancel()
                .verify(PATIENCE);
        requireReason(pending, "its program was cancelled");
    }

    /** An exception of a program whose text cannot be read. */
    private static final class Mute extends IllegalStateException {

        private static final long serialVersionUID = 1;

        @Override
        public String getMessage() {
            throw new AssertionError("on purpose");
        }
    }

    @Test
    void using_textOfTheExceptionThrows_abortsWithItsType() {
        CompletableFuture<Signal<Work>> pending = pending(world.groups().get(0));
        Mute problem = new Mute();
        assertThat(catchThrowable(() -> ReactiveComm.using(group(1), group -> {
                            throw problem;
                        }))
                        == problem)
                .isTrue();
        requireReason(pending, Mute.class.getName());
        assertThat(problem.getSuppressed()).isEmpty();
    }

    @Test
    void usingWhen_textOfTheExceptionThrows_abortsWithItsType() {
        CompletableFuture<Signal<Work>> pending = pending(world.groups().get(0));
        Mute problem = new Mute();
        StepVerifier.create(ReactiveComm.usingWhen(group(1), group -> Mono.error(problem)))
                .expectErrorMatches(error -> error == problem)
                .verify(PATIENCE);
        requireReason(pending, Mute.class.getName());
    }

    /** The text of a program's exception is read in many places. None of them may leave other ranks without the reason. */
    @Test
    void textOfAnExceptionThrows_theCallFailsOnAllRanks() {
        CustomReduction op = CustomReduction.ofFloats("mute", (left, right) -> {
            throw new Mute();
        });
        List<CompletableFuture<Signal<Work>>> reduced = world.groups().stream()
                .map(group -> group.reduce(Tensor.of(new float[] {1}), 0, op)
                        .materialize()
                        .toFuture()
                        .thenApply(Objects::requireNonNull))
                .toList();
        assertThat(error(reduced.get(0)))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining(Mute.class.getName());

        List<CompletableFuture<Signal<Object>>> composites = world.groups().stream()
                .map(group -> group.composite("mute")
                        .mono(inside -> group.rank() == 1
                                ? Mono.<Object>error(new Mute())
                                : inside.barrier().cast(Object.class))
                        .materialize()
                        .toFuture()
                        .thenApply(Objects::requireNonNull))
                .toList();
        assertThat(composites
                        .get(0)
                        .orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                        .join()
                        .getThrowable())
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining(Mute.class.getName());
        world.groups()
                .forEach(group -> group.barrier().subscribe(work -> {
                    throw new Mute();
                }));
        List<CompletableFuture<Signal<Work>>> after =
                world.groups().stream().map(this::pending).toList();
        after.forEach(each -> assertThat(each.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                        .join()
                        .isOnNext())
                .isTrue());
    }
}
