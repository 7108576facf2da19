package io.reactivecomm.netty.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommConfig;
import io.reactivecomm.GroupClosedException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.spi.rendezvous.HostedStore;
import io.reactivecomm.testkit.ConnectedWorlds;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.test.StepVerifier;

/** Connecting gives its group to a subscriber whenever that asks. */
class ConnectDemandTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private static CommConfig rank(HostedStore store, int rank) {
        return ConnectedWorlds.config(store, "tcp", rank, 2);
    }

    @Test
    void group_askedForLate_comes() {
        try (HostedStore store = ConnectedWorlds.store()) {
            CompletableFuture<ProcessGroup> other =
                    ReactiveComm.connect(rank(store, 1)).toFuture();

            StepVerifier.create(ReactiveComm.connect(rank(store, 0)), 0)
                    .expectSubscription()
                    .thenRequest(1)
                    .consumeNextWith(group -> {
                        assertThat(group.size()).isEqualTo(2);
                        group.close();
                    })
                    .expectComplete()
                    .verify(LIMIT);

            other.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join().close();
        }
    }

    @Test
    void connecting_cancelledUnasked_leavesTheRankFree() {
        try (HostedStore store = ConnectedWorlds.store()) {
            BaseSubscriber<ProcessGroup> idle = new BaseSubscriber<>() {
                @Override
                protected void hookOnSubscribe(Subscription subscription) {}
            };
            ReactiveComm.connect(rank(store, 0)).subscribe(idle);
            idle.cancel();

            CompletableFuture<ProcessGroup> one =
                    ReactiveComm.connect(rank(store, 0)).toFuture();
            CompletableFuture<ProcessGroup> other =
                    ReactiveComm.connect(rank(store, 1)).toFuture();

            one.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join().close();
            other.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join().close();
        }
    }

    /** The group is given to its subscriber on a loop, where what that throws would only be logged. */
    @Test
    void subscriberThatDiesAsItIsGivenTheGroup_endsTheWorldOnAllRanks() {
        try (HostedStore store = ConnectedWorlds.store()) {
            CompletableFuture<ProcessGroup> other =
                    ReactiveComm.connect(rank(store, 0)).toFuture();
            CompletableFuture<ProcessGroup> dying = new CompletableFuture<>();
            ReactiveComm.connect(rank(store, 1))
                    .subscribe(
                            group -> {
                                dying.complete(group);
                                throw new OutOfMemoryError("as thrown by the machine");
                            },
                            error -> {});

            ProcessGroup group =
                    other.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
            StepVerifier.create(group.barrier())
                    .expectErrorSatisfies(error -> assertThat(error)
                            .isInstanceOf(GroupClosedException.class)
                            .hasMessageContaining("fatal error on rank 1: java.lang.OutOfMemoryError"))
                    .verify(LIMIT);
            group.close();
            dying.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join().close();
        }
    }
}
