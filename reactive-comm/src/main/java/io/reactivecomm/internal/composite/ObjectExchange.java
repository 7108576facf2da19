package io.reactivecomm.internal.composite;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ObjectCodec;
import io.reactivecomm.internal.base.ErrorTexts;
import io.reactivecomm.internal.base.ProgramError;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Collectives of objects, each as two collectives of tensors: of {@link ObjectHeader lengths}, then of bytes.
 *
 * <p>Objects become bytes at each subscription. A rank whose object cannot be written, or that is told a length which it does not take,
 * fails the call that comes next, so all are told. A rank that cannot read the bytes at the end is alone with that: the others have theirs.
 *
 * <p><b>Threads.</b> Encoding on the subscriber's, decoding and the operator of {@link #reduce} on the loop; decoding of what is large on
 * one of the library's own.
 */
public final class ObjectExchange {

    private final Conversations conversations;
    private final long mostBytes;

    /** @param mostBytes the largest object, encoded */
    public ObjectExchange(Conversations conversations, long mostBytes) {
        this.conversations = conversations;
        this.mostBytes = mostBytes;
    }

    public <T> Mono<List<T>> allGather(T value, @Nullable ObjectCodec<T> codec) {
        return exchange(ObjectKind.ALL_GATHER, codec, talk -> talk.allGather(value));
    }

    public <T> Mono<T> broadcast(@Nullable T value, int root, @Nullable ObjectCodec<T> codec) {
        return exchange(ObjectKind.BROADCAST, codec, talk -> talk.broadcast(value, root));
    }

    public <T> Mono<List<T>> gather(T value, int root, @Nullable ObjectCodec<T> codec) {
        return exchange(ObjectKind.GATHER, codec, talk -> talk.gather(value, root));
    }

    public <T> Mono<T> scatter(List<T> values, int root, @Nullable ObjectCodec<T> codec) {
        return exchange(ObjectKind.SCATTER, codec, talk -> talk.scatter(values, root));
    }

    public <T> Mono<T> reduce(T value, int root, @Nullable BinaryOperator<T> op, @Nullable ObjectCodec<T> codec) {
        return exchange(ObjectKind.REDUCE, codec, talk -> {
            BinaryOperator<T> given = required(ObjectKind.REDUCE, op, "operator: op=null");
            return talk.gather(value, root).flatMap(values -> Mono.justOrEmpty(folded(values, given)));
        });
    }

    /** Runs an operation with memory that is given back at its end, whatever that is. */
    private <T, R> Mono<R> exchange(
            ObjectKind kind, @Nullable ObjectCodec<T> codec, Function<ObjectSubscription<T>, Mono<R>> operation) {
        return conversations.converse(
                kind.label(),
                talk -> Mono.using(
                        () -> new Temporaries(kind.label()),
                        memory -> operation.apply(new ObjectSubscription<>(
                                talk,
                                new BoundedCodec<>(
                                        kind,
                                        required(kind, codec, "type or codec of its objects: codec=null"),
                                        mostBytes),
                                memory)),
                        Temporaries::close));
    }

    /** Other ranks wait for the call, so it fails on all of them. */
    private static <A> A required(ObjectKind kind, @Nullable A argument, String what) {
        if (argument == null) {
            throw new InvalidCallException(kind.label() + " got no " + what + "; pass the same on all ranks");
        }
        return argument;
    }

    /** {@return the values combined from the left, or null if there are none: this rank is not the root} */
    private static <T> @Nullable T folded(List<T> values, BinaryOperator<T> op) {
        T result = null;
        for (T value : values) {
            result = result == null ? value : combined(result, value, op);
        }
        return result;
    }

    /** Whatever an operator throws ends its call; what is fatal to the JVM is no matter of one call. */
    private static <T> T combined(T left, T right, BinaryOperator<T> op) {
        T result;
        try {
            result = op.apply(left, right);
        } catch (Exception | Error e) {
            ProgramError.throwIfFatal(e);
            throw new InvalidCallException(
                    ObjectKind.REDUCE.label() + " cannot combine two objects: cause=" + ErrorTexts.describe(e)
                            + "; pass an operator that takes what the ranks give",
                    e);
        }
        if (result == null) {
            throw new InvalidCallException(
                    ObjectKind.REDUCE.label() + " got null from its operator: op=" + op + "; let it return an object");
        }
        return result;
    }
}
