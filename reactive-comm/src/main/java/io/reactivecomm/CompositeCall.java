package io.reactivecomm;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A composite call before its body is given: several calls that depend on each other, with user code between them, under one identity.
 *
 * <pre>{@code
 * group.composite("exchange")
 *         .mono(inside -> inside.allGather(length, lengths)
 *                 .flatMap(work -> inside.allToAll(cut(lengths), received)))
 * }</pre>
 *
 * <p>It takes one ticket, when {@link #mono} or {@link #flux} assembles the whole. A call inside is identified by that and by its own place among
 * those made through the body's views, so no later call of the group is shifted, whatever becomes of the body. Inside, as outside, ranks that
 * assemble the same calls in the same order may subscribe to them in any order. Composite calls may stand in one another, 16 deep.
 *
 * <p><b>Errors.</b> A body that fails, or that completes without a call for which a peer waits, fails the composite on every rank whose own is
 * unfinished, in a round trip; no body can catch that. The rank whose body failed hears what was thrown; the others hear a {@link CommException}
 * as it is, and anything else as an {@link InvalidCallException} that names it. A call that is missing is a {@link MismatchException}; the rank that
 * lacks it may have finished before others asked for it. Ranks that have finished keep their result. A call inside that some rank has not
 * begun by then fails on all; one that all have begun runs to its end. A rank that subscribes later fails at once, and its body is not run.
 * User code that still runs is cancelled and not waited for. An inner call that fails by itself ends no composite as long as the body handles
 * its error. Under one identity another operation, or a plain call, is a {@link MismatchException}. A receive from {@link ProcessGroup#ANY} for which
 * nobody is left waits for its deadline: no rank knows that it is the one that should send. A call through the body's view after the end is an
 * {@link InvalidCallException}. What is fatal to the JVM ends the world if it is thrown on the group's loop, and fails the composite where a
 * body throws it to its subscriber; on other threads it is nobody's, and the others wait for their deadline.
 *
 * <p><b>Deadline.</b> That of the view, from the subscription, user code included.
 *
 * <p><b>Cost.</b> Beyond the calls inside nothing is sent as long as all goes well, but for a few bytes for each receive from a named rank that
 * waits for its message.
 *
 * <p><b>Threads.</b> The body is called on the subscriber's thread. Immutable.
 */
public interface CompositeCall {

    /**
     * {@return one that borrows these tensors from its subscription to its end}
     * A {@link Tensor#close} in between takes effect at that end, so that calls inside may still borrow them.
     */
    CompositeCall borrowing(List<Tensor> tensors);

    /**
     * {@return a composite call that borrows tensors, as {@link #borrowing} does, and claims them for the same time}
     * While it is in flight, calls of this rank that are not inside it must not write {@code reads}, nor use {@code writes}. The second of two such calls
     * fails with an {@link InvalidCallException} on all ranks. After {@link #borrowing} only the calls inside claim memory, each for its own time.
     *
     * @param reads tensors that the body and its calls only read
     * @param writes tensors that they write
     */
    default CompositeCall claiming(List<Tensor> reads, List<Tensor> writes) {
        return borrowing(Stream.concat(reads.stream(), writes.stream()).toList());
    }

    /** {@return one whose deadline counts only while a call inside it waits: each has its own} */
    CompositeCall waitingOnly();

    /**
     * {@return the composite call, cold; each subscription is a run of its own}
     *
     * <p><b>Subscription and cancellation.</b> Cancelling detaches the subscriber, and the body runs on, as a call does.
     *
     * @param body makes calls through the view that it is given, and views {@linkplain ProcessGroup#within within} it
     */
    <T> Mono<T> mono(Function<? super ProcessGroup, ? extends Mono<T>> body);

    /**
     * {@return the same with many results, told of as they come}
     *
     * <p><b>Subscription and cancellation.</b> Cancelling cancels the body and ends the composite here: a peer that waits, then or later, for a
     * call that was not made here fails with {@link GroupClosedException}, and one that needs no further call completes.
     *
     * @param body makes calls through the view that it is given, and views {@linkplain ProcessGroup#within within} it
     */
    <T> Flux<T> flux(Function<? super ProcessGroup, ? extends Publisher<T>> body);
}
