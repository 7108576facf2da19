package io.reactivecomm.simulator;

import io.reactivecomm.Work;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/** A subscriber that counts what it hears and knows what it may hear. */
final class CheckedSubscriber implements CoreSubscriber<Work> {

    private boolean ended;
    private boolean asked;
    private boolean cancelled;
    private int results;
    private int completions;
    private int errors;
    private int discards;
    private @Nullable String fault;

    /** The call has ended: there may be signals from now on. */
    void mayHear() {
        ended = true;
    }

    /** It asks for the result. */
    void asks() {
        asked = true;
    }

    /** It cancels. */
    void leaves() {
        cancelled = true;
    }

    boolean hasLeft() {
        return cancelled;
    }

    @Override
    public void onSubscribe(Subscription subscription) {}

    @Override
    public void onNext(Work work) {
        results++;
        check(asked && results == 1 && completions + errors == 0, "a result");
    }

    @Override
    public void onComplete() {
        completions++;
        check(results == 1 && completions == 1, "a completion");
    }

    @Override
    public void onError(Throwable error) {
        errors++;
        check(results == 0 && errors == 1, "an error");
    }

    /** A result came too late for it, or it left while one waited. */
    void misses() {
        discards++;
        if (fault == null && (!cancelled || results + completions + errors > 0 || discards > 1)) {
            fault = "a result was discarded that its subscriber may want: " + this;
        }
    }

    /** {@return whether a result was either heard or discarded} */
    boolean knowsWhereAResultWent() {
        return results + discards == 1;
    }

    /** Kept for later: what a subscriber throws, the library drops. */
    private void check(boolean inOrder, String what) {
        if (fault == null && (!inOrder || !ended || cancelled)) {
            fault = "a subscriber heard " + what + " that it should not: " + this;
        }
    }

    /** {@return what it heard that it should not have, or null} */
    @Nullable String fault() {
        return fault;
    }

    /** {@return whether it was told the end of its call} */
    boolean hasHeard() {
        return completions + errors == 1;
    }

    @Override
    public String toString() {
        return "ended=" + ended + ", asked=" + asked + ", cancelled=" + cancelled + ", results=" + results
                + ", completions=" + completions + ", errors=" + errors + ", discards=" + discards;
    }
}
