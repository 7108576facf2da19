package io.reactivecomm.internal.composite;

import java.util.function.Function;
import reactor.core.publisher.Mono;

/** The beginning of {@link Conversation}s: a group's view, as operations made of several collectives see it. */
public interface Conversations {

    /**
     * {@return an operation that all ranks perform together, cold; cancelling it detaches the subscriber, and it runs on}
     * A group or a tensor that it comes to after that is closed.
     *
     * @param operation its name in prose, for errors
     */
    <T> Mono<T> converse(String operation, Function<Conversation, Mono<T>> talk);
}
