package io.reactivecomm.internal.stream;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;

/** A composite call's run that fails on the loop, while another thread gives its subscriber an item. */
public class HeldFluxStress {

    private HeldFluxStress() {}

    @JCStressTest
    @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "told once of the end, and of nothing else at that time or after")
    @Outcome(expect = Expect.FORBIDDEN, desc = "not told, told twice, or of two things at once")
    @State
    public static class ItemAndError implements CoreSubscriber<Integer> {

        private static final RuntimeException FAILED = new IllegalStateException("failed");

        private final CoreSubscriber<Integer> held;
        private volatile boolean isBeingTold;
        private volatile int ends;
        private volatile int faults;

        /** Has been given its subscription. */
        public ItemAndError() {
            Holder holder = new Holder();
            new HeldFlux<Integer>(Runnable::run, holder::take).subscribe(this);
            held = holder.held;
        }

        private static final class Holder {

            private CoreSubscriber<Integer> held = Operators.<Integer>emptySubscriber();

            void take(CoreSubscriber<Integer> source) {
                held = source;
                source.onSubscribe(Operators.emptySubscription());
            }
        }

        @Override
        public void onSubscribe(Subscription ignored) {}

        @Override
        public void onNext(Integer item) {
            faults += ends;
            told();
        }

        @Override
        public void onError(Throwable error) {
            ends++;
            told();
        }

        @Override
        public void onComplete() {
            ends += 10;
        }

        private void told() {
            if (isBeingTold) {
                faults++;
            }
            isBeingTold = true;
            isBeingTold = false;
        }

        @Actor
        public void body() {
            held.onNext(1);
        }

        @Actor
        public void loop() {
            held.onError(FAILED);
        }

        @Arbiter
        public void rest(II_Result result) {
            result.r1 = ends;
            result.r2 = faults;
        }
    }
}
