package io.reactivecomm.internal.stream;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The streams of one group between this rank and others: numbers them, so that the n-th of one end meets the n-th of the other.
 *
 * <p><b>Threads.</b> Any.
 */
public final class TensorStreams {

    /** What is left of a name's 1024 bytes beside the number of a stream and what its lines are called. */
    private static final int LONGEST_NAME_BYTES = 960;

    private final ResultLoop loop;
    private final StreamWatch watch;
    private final Function<InvalidCallException, Mono<Work>> refused;
    private final Map<StreamKey, AtomicLong> subscriptions = new ConcurrentHashMap<>();

    /**
     * @param loop the rank's
     * @param watch is told of each end
     * @param refused makes a call that fails so
     */
    public TensorStreams(ResultLoop loop, StreamWatch watch, Function<InvalidCallException, Mono<Work>> refused) {
        this.loop = loop;
        this.watch = watch;
        this.refused = refused;
    }

    /** The properties that streams have in common to be counted together. */
    private record StreamKey(boolean isOutgoing, int peer, String name, int tag) {}

    /** @param group a view that has the deadline; named anew here */
    public Flux<Tensor> sendAll(
            ProcessGroup group, String name, @Nullable Publisher<? extends Tensor> tensors, int peer, int tag) {
        if (tensors == null) {
            return refused(new InvalidCallException(
                    "sendAll got no tensors: tensors=null; pass a publisher, empty if there is nothing to send"));
        }
        InvalidCallException refusal = refusal("sendAll", group, name, peer);
        return refusal != null ? refused(refusal) : new StreamFlux(subscriber -> {
            Sending sending = new Sending(group, loop, watch, lines(group, new StreamKey(true, peer, name, tag)), subscriber);
            subscriber.onSubscribe(sending);
            sending.start();
            Flux.from(tensors).subscribe(sending);
        });
    }

    /** @param group a view that has the deadline; named anew here */
    public Flux<Tensor> receiveAll(ProcessGroup group, String name, int peer, int tag) {
        InvalidCallException refusal = refusal("receiveAll", group, name, peer);
        return refusal != null ? refused(refusal) : new StreamFlux(subscriber -> {
            Receiving receiving = new Receiving(group, loop, watch, lines(group, new StreamKey(false, peer, name, tag)), subscriber);
            subscriber.onSubscribe(receiving);
            receiving.start();
        });
    }

    private Flux<Tensor> refused(InvalidCallException error) {
        return refused.apply(error).cast(Tensor.class).flux();
    }

    private StreamMessages lines(ProcessGroup group, StreamKey place) {
        long number = subscriptions.computeIfAbsent(place, ignored -> new AtomicLong()).getAndIncrement();
        return new StreamMessages(group, place.isOutgoing ? "sendAll" : "receiveAll", place.name, number, place.peer, place.tag);
    }

    private static @Nullable InvalidCallException refusal(String operation, ProcessGroup group, String name, int peer) {
        int nameBytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (nameBytes > LONGEST_NAME_BYTES) {
            return new InvalidCallException(operation + " got a name that is too long for a stream: bytes=" + nameBytes + "; give at most "
                    + LONGEST_NAME_BYTES + " bytes of UTF-8");
        }
        if (peer == group.rank()) {
            return new InvalidCallException(operation + " got this rank itself: peer=" + peer + "; use the tensors where they are");
        }
        return peer >= 0 && peer < group.size() ? null : new InvalidCallException(operation + " got a peer outside the group: peer=" + peer
                + ", size=" + group.size() + "; name a rank from 0 to " + (group.size() - 1));
    }

    /** The way in which a subscriber begins a stream. */
    private interface StreamStart {

        void begin(CoreSubscriber<? super Tensor> subscriber);
    }

    /** One end of a stream, cold: each subscription is a stream of its own. */
    private static final class StreamFlux extends Flux<Tensor> {

        private final StreamStart beginning;

        private StreamFlux(StreamStart beginning) {
            this.beginning = beginning;
        }

        @Override
        public void subscribe(CoreSubscriber<? super Tensor> subscriber) {
            beginning.begin(subscriber);
        }
    }
}
