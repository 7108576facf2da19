package io.reactivecomm.internal.group;

import io.reactivecomm.Work;
import io.reactivecomm.internal.engine.CallSink;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/** A call's end on the loop, while its subscriber asks for it or cancels. */
public class CallSubscriptionStress {

    private CallSubscriptionStress() {}

    private static class Call implements CoreSubscriber<Work> {

        private static final Work WORK = new CallSink.Success("barrier", List.of(), 0, 0, 0, "links", "", Work.NO_PEER, "", 1, null);

        final CallSubscription subscription = new CallSubscription(this, Runnable::run);
        volatile int results;
        volatile int ends;

        @Override
        public void onSubscribe(Subscription ignored) {}

        @Override
        public void onNext(Work work) {
            results++;
        }

        @Override
        public void onError(Throwable error) {
            ends += 10;
        }

        @Override
        public void onComplete() {
            ends++;
        }
    }

    @JCStressTest
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "told once")
    @Outcome(expect = Expect.FORBIDDEN, desc = "not told, or twice")
    @State
    public static class DemandAndResult extends Call {

        @Actor
        public void subscriber() {
            subscription.request(1);
        }

        @Actor
        public void loop() {
            subscription.succeeded(Call.WORK);
        }

        @Arbiter
        public void rest(II_Result result) {
            result.r1 = results;
            result.r2 = ends;
        }
    }

    @JCStressTest
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "cancelled in time")
    @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "cancelled between the result and the end")
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "cancelled too late")
    @Outcome(expect = Expect.FORBIDDEN, desc = "an end without a result, or twice")
    @State
    public static class CancelAndResult extends Call {

        @Actor
        public void subscriber() {
            subscription.request(1);
            subscription.cancel();
        }

        @Actor
        public void loop() {
            subscription.succeeded(Call.WORK);
        }

        @Arbiter
        public void rest(II_Result result) {
            result.r1 = results;
            result.r2 = ends;
        }
    }
}
