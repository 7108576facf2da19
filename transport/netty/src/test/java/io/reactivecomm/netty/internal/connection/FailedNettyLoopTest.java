package io.reactivecomm.netty.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.reactivecomm.GroupClosedException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.internal.group.Groups;
import io.reactivecomm.netty.MeshWorld;
import io.reactivecomm.netty.internal.life.ControlLinks;
import io.reactivecomm.netty.internal.life.FailureDetector;
import io.reactivecomm.netty.internal.life.HeartbeatDatagrams;
import io.reactivecomm.netty.internal.life.HeartbeatTerms;
import io.reactivecomm.spi.LoopWatchdog;
import io.reactivecomm.spi.PollingLoop.Poller;
import io.reactivecomm.spi.link.Mesh;
import io.reactivecomm.spi.link.PeerNews;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Signal;

/** A loop of sockets that fails outside of any task of the engine ends its world with the cause, on all ranks. */
@Timeout(60)
class FailedNettyLoopTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final Error FAULT = new AssertionError("Blocking call!");

    /** A handler of sockets that fails in its next runs. */
    private static final class FailingHandler implements IoHandler {

        private final IoHandler sockets;
        private int failures;

        private FailingHandler(IoHandler sockets, int failures) {
            this.sockets = sockets;
            this.failures = failures;
        }

        static IoHandlerFactory around(IoHandlerFactory factory, int failures) {
            return executor -> new FailingHandler(factory.newHandler(executor), failures);
        }

        @Override
        public int run(IoHandlerContext context) {
            if (failures-- > 0) {
                throw FAULT;
            }
            return sockets.run(context);
        }

        @Override
        public void prepareToDestroy() {
            sockets.prepareToDestroy();
        }

        @Override
        public void destroy() {
            sockets.destroy();
        }

        @Override
        public IoRegistration register(IoHandle handle) throws Exception {
            return sockets.register(handle);
        }

        @Override
        public void wakeup() {
            sockets.wakeup();
        }

        @Override
        public boolean isCompatible(Class<? extends IoHandle> type) {
            return sockets.isCompatible(type);
        }
    }

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void handler_thatThrows_isTold_andTheLoopGoesOn(Sockets sockets) throws Exception {
        NettyLoop loop = NettyLoop.start("failing", sockets, handlers -> FailingHandler.around(handlers, 5));
        BlockingQueue<Throwable> told = new LinkedBlockingQueue<>();
        loop.fatalErrors().add((error, rank) -> told.add(error));
        CountDownLatch ran = new CountDownLatch(1);
        // Each turn of the loop has its tasks behind a run of the handler.
        for (int i = 0; i < 20; i++) {
            CountDownLatch turned = new CountDownLatch(1);
            loop.execute(turned::countDown);
            assertThat(turned.await(20, TimeUnit.SECONDS)).isTrue();
        }
        loop.schedule(ran::countDown, 1_000);
        assertThat(ran.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(told).isNotEmpty().containsOnly(FAULT);
        loop.stop();
        assertThat(loop.thread().isAlive()).isFalse();
    }

    /** The loop of a rank meets an error. */
    private static Stream<Named<Consumer<NettyLoop>>> faults() {
        return Stream.of(
                Named.of("going to sleep", loop -> loop.execute(() -> loop.add(new FailingPoller(false)))),
                Named.of("looking at memory", loop -> loop.execute(() -> loop.add(new FailingPoller(true)))),
                Named.of(
                        "a timer of the transport",
                        loop -> Timers.SYSTEM.schedule(loop.eventLoop(), FailedNettyLoopTest::fail, 1_000)),
                Named.of("an undeclared exception", loop -> loop.execute(() -> throwUndeclared(FAULT))));
    }

    private static void fail() {
        throw FAULT;
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void throwUndeclared(Throwable error) throws E {
        throw (E) error;
    }

    /** Memory of which the loop cannot learn anything. */
    private record FailingPoller(boolean isInLook) implements Poller {

        @Override
        public boolean poll() {
            if (isInLook) {
                fail();
            }
            return false;
        }

        @Override
        public boolean park() {
            if (!isInLook) {
                fail();
            }
            return true;
        }

        @Override
        public void unpark() {}
    }

    @ParameterizedTest
    @MethodSource("faults")
    void loop_thatFails_endsItsWorldWithTheCause(Consumer<NettyLoop> fault) throws Exception {
        requireEnd(mesh -> fault.accept((NettyLoop) mesh.loop()));
    }

    private static void requireEnd(Consumer<Mesh> fault) throws Exception {
        List<Thread> loops = new ArrayList<>();
        try (MeshWorld world = new MeshWorld(TransportOptions.DEFAULT)) {
            List<Mesh> meshes = world.connect(2);
            meshes.forEach(mesh -> loops.add(mesh.loop().thread()));
            List<ProcessGroup> groups = Objects.requireNonNull(Flux.fromIterable(meshes)
                    .flatMapSequential(mesh -> Groups.world(mesh, world.config(mesh.rank(), 2)))
                    .collectList()
                    .block(LIMIT));
            List<CompletableFuture<Signal<Void>>> ends = groups.stream()
                    .map(group -> group.ended().materialize().toFuture().thenApply(Objects::requireNonNull))
                    .toList();
            List<CompletableFuture<?>> calls = new ArrayList<>();
            groups.forEach(group ->
                    calls.add(group.named("of-" + group.rank()).barrier().toFuture()));

            fault.accept(meshes.getFirst());

            for (CompletableFuture<?> call : calls) {
                assertThat(call)
                        .failsWithin(LIMIT)
                        .withThrowableThat()
                        .havingCause()
                        .isInstanceOf(GroupClosedException.class)
                        .withMessageContaining("on rank 0")
                        .withMessageContaining(FAULT.toString());
            }
            assertThat(calls.getFirst())
                    .failsWithin(LIMIT)
                    .withThrowableThat()
                    .havingRootCause()
                    .isSameAs(FAULT);
            ends.forEach(end -> assertThat(end.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS)
                            .join()
                            .getThrowable())
                    .hasMessageContaining(FAULT.toString()));
            groups.forEach(ProcessGroup::close);
        }
        for (Thread loop : loops) {
            loop.join(LIMIT);
            assertThat(loop.isAlive()).isFalse();
        }
    }

    /** The thread that peers' heartbeats come on: a rank without it would be taken for silent. */
    @ParameterizedTest
    @EnumSource(Sockets.class)
    void controlThread_thatFails_isToldOnlyOnce(Sockets sockets) throws Exception {
        NettyLoop loop = NettyLoop.start("loop", sockets);
        NettyLoop control = NettyLoop.start("control", sockets);
        BlockingQueue<Throwable> told = new LinkedBlockingQueue<>();
        HeartbeatTerms terms = new HeartbeatTerms(100_000_000L, 3_000_000_000L);
        ManualTimers timers = new ManualTimers();
        HeartbeatDatagrams datagrams =
                new HeartbeatDatagrams(0, new StrangerLog("rank 0", control.eventLoop(), timers));
        new ControlLinks(
                control,
                timers,
                new LoopWatchdog(loop),
                terms,
                new FailureDetector(0, 2, terms),
                datagrams,
                0,
                new ControlLinks.Listener() {
                    @Override
                    public void vanished(int peer, String cause) {}

                    @Override
                    public void found(PeerNews news) {}

                    @Override
                    public boolean hearsOfClocks() {
                        return false;
                    }

                    @Override
                    public void failed(Throwable problem) {
                        told.add(problem);
                    }
                });
        control.execute(FailedNettyLoopTest::fail);
        control.execute(FailedNettyLoopTest::fail);
        assertThat(told.poll(20, TimeUnit.SECONDS)).isSameAs(FAULT);
        control.stop();
        loop.stop();
        assertThat(told).isEmpty();
    }
}
