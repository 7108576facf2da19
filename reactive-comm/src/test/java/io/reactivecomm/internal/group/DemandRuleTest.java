package io.reactivecomm.internal.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.LocalWorld;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.Work;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/** The demand that a subscriber of a call may make. */
class DemandRuleTest {

    /** Rule 3.9 of the Reactive Streams. */
    @ParameterizedTest(name = "n={0}")
    @ValueSource(longs = {0, -1})
    void request_ofNothing_isAnError(long n) {
        CompletableFuture<Throwable> error = new CompletableFuture<>();
        try (LocalWorld world = ReactiveComm.local(2)) {
            world.groups().getFirst().barrier().subscribe(new CoreSubscriber<>() {
                @Override
                public void onSubscribe(Subscription subscription) {
                    subscription.request(n);
                }

                @Override
                public void onNext(Work work) {}

                @Override
                public void onError(Throwable e) {
                    error.complete(e);
                }

                @Override
                public void onComplete() {}
            });
            assertThat(error.orTimeout(10, TimeUnit.SECONDS).join()).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
