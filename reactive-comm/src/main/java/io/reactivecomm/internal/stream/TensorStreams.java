package io.reactivecomm.internal.stream;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;
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
    private final ObjLongConsumer<StreamPlace> over;
    private final Function<InvalidCallException, Mono<Work>> refused;
    private final Map<StreamPlace, AtomicLong> subscriptions = new ConcurrentHashMap<>();

    /**
     * @param loop the rank's
     * @param watch is told of each end
     * @param over takes each stream that makes no further call, by its number
     * @param refused makes a call that fails so
     */
    public TensorStreams(
            ResultLoop loop,
            StreamWatch watch,
            ObjLongConsumer<StreamPlace> over,
            Function<InvalidCallException, Mono<Work>> refused) {
        this.loop = loop;
        this.watch = watch;
        this.over = over;
        this.refused = refused;
    }

    /**
     * @param group a view that has the deadline; named anew here
     * @param witness tells of the stream
     */
    public Flux<Tensor> sendAll(
            ProcessGroup group,
            String name,
            @Nullable Publisher<? extends Tensor> tensors,
            int peer,
            int tag,
            StreamWitness witness) {
        InvalidCallException refusal = refusal("sendAll", group, name, peer);
        StreamPlace place = new StreamPlace(true, peer, name, tag);
        return refusal != null
                ? refused(refusal)
                : stream(place, (subscriber, whenOver) -> {
                    StreamMessages lines = lines(group, place);
                    Runnable ended = ended(place, lines, whenOver);
                    Consumer<@Nullable Throwable> told =
                            witness.begins(place, lines.number(), subscriber.currentContext());
                    Sending sending =
                            opened(() -> new Sending(group, loop, ended, told, lines, subscriber), ended, told);
                    sending.open();
                    sending.take(source(tensors));
                });
    }

    /** {@return what is sent: where there is nothing, an error, which the receiver hears, too} */
    private static Flux<? extends Tensor> source(@Nullable Publisher<? extends Tensor> tensors) {
        return tensors != null
                ? Flux.from(tensors)
                : Flux.error(() -> new InvalidCallException(
                        "sendAll got no tensors: tensors=null; pass a publisher, empty if there is nothing to send"));
    }

    /**
     * @param group a view that has the deadline; named anew here
     * @param witness tells of the stream
     */
    public Flux<Tensor> receiveAll(ProcessGroup group, String name, int peer, int tag, StreamWitness witness) {
        InvalidCallException refusal = refusal("receiveAll", group, name, peer);
        StreamPlace place = new StreamPlace(false, peer, name, tag);
        return refusal != null
                ? refused(refusal)
                : stream(place, (subscriber, whenOver) -> {
                    StreamMessages lines = lines(group, place);
                    Runnable ended = ended(place, lines, whenOver);
                    Consumer<@Nullable Throwable> told =
                            witness.begins(place, lines.number(), subscriber.currentContext());
                    Receiving receiving =
                            opened(() -> new Receiving(group, loop, ended, told, lines, subscriber), ended, told);
                    receiving.open();
                });
    }

    private Runnable ended(StreamPlace place, StreamMessages lines, Runnable whenOver) {
        return () -> {
            whenOver.run();
            over.accept(place, lines.number());
        };
    }

    private Flux<Tensor> stream(StreamPlace place, StreamStart beginning) {
        watch.assembled(place);
        return new StreamFlux(place, beginning);
    }

    /** {@return an end of a stream, which is over if there is no memory for it} */
    private static <E extends StreamEnd> E opened(
            Supplier<E> end, Runnable whenOver, Consumer<@Nullable Throwable> told) {
        try {
            return end.get();
        } catch (Exception | Error e) {
            told.accept(e);
            whenOver.run();
            throw e;
        }
    }

    private Flux<Tensor> refused(InvalidCallException error) {
        return refused.apply(error).cast(Tensor.class).flux();
    }

    private StreamMessages lines(ProcessGroup group, StreamPlace place) {
        long number = subscriptions
                .computeIfAbsent(place, ignored -> new AtomicLong())
                .getAndIncrement();
        return new StreamMessages(
                group,
                place.isOutgoing() ? StreamMessages.SEND_ALL : StreamMessages.RECEIVE_ALL,
                place.name(),
                number,
                place.peer(),
                place.tag());
    }

    private static @Nullable InvalidCallException refusal(String operation, ProcessGroup group, String name, int peer) {
        int nameBytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (nameBytes > LONGEST_NAME_BYTES) {
            return new InvalidCallException(operation + " got a name that is too long for a stream: bytes=" + nameBytes
                    + "; give at most " + LONGEST_NAME_BYTES + " bytes of UTF-8");
        }
        if (peer == group.rank()) {
            return new InvalidCallException(
                    operation + " got this rank itself: peer=" + peer + "; use the tensors where they are");
        }
        return peer >= 0 && peer < group.size()
                ? null
                : new InvalidCallException(operation + " got a peer outside the group: peer=" + peer + ", size="
                        + group.size() + "; name a rank from 0 to " + (group.size() - 1));
    }

    /** The way in which a subscriber begins a stream. */
    private interface StreamStart {

        /** @param whenOver is to be told when the stream makes no further call */
        void begin(CoreSubscriber<? super Tensor> subscriber, Runnable whenOver);
    }

    /** One end of a stream, cold: each subscription is a stream of its own. */
    private final class StreamFlux extends Flux<Tensor> {

        private final StreamPlace place;
        private final StreamStart beginning;
        private final AtomicBoolean hasBegun = new AtomicBoolean();

        private StreamFlux(StreamPlace place, StreamStart beginning) {
            this.place = place;
            this.beginning = beginning;
        }

        @Override
        public void subscribe(CoreSubscriber<? super Tensor> subscriber) {
            try {
                watch.begins(place, hasBegun.compareAndSet(false, true));
            } catch (InvalidCallException e) {
                refused(e).subscribe(subscriber);
                return;
            }
            beginning.begin(subscriber, () -> watch.ends(place));
        }
    }
}
