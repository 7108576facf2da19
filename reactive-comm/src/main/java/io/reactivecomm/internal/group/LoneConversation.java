package io.reactivecomm.internal.group;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.collective.AllGather;
import io.reactivecomm.collective.AllReduce;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.device.Move;
import io.reactivecomm.internal.backend.BackendChoice;
import io.reactivecomm.internal.composite.Conversation;
import io.reactivecomm.internal.composite.Conversations;
import io.reactivecomm.internal.engine.CallSink;
import io.reactivecomm.internal.switches.Switches;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/**
 * The conversation of an operation that is switched off. This rank is its only member, and nothing is sent. The operation still counts as one of the
 * group's calls.
 *
 * <p><b>Threads.</b> As {@link Conversation}.
 */
record LoneConversation(GroupConversation talk, Memories memories) implements Conversation {

    /** The beginning of such conversations. */
    record Beginning(Assembler assembler, CallOptions options) implements Conversations {

        @Override
        public <T> Mono<T> converse(String operation, Function<Conversation, Mono<T>> body) {
            Memories memories = assembler.traits().memories();
            return GroupConversation.of(
                    assembler, options, operation, talk -> body.apply(new LoneConversation(talk, memories)));
        }
    }

    @Override
    public int rank() {
        return 0;
    }

    @Override
    public int size() {
        return 1;
    }

    @Override
    public Mono<Work> next(Supplier<Collective> call) {
        return Mono.fromSupplier(() -> performed(call.get().checkedFor(rank(), size())));
    }

    @Override
    public Mono<Work> nextAside(Supplier<Collective> call) {
        return talk.aside(() -> performed(call.get().checkedFor(rank(), size())));
    }

    /** A reduction over one rank leaves its tensor as it is. */
    private Work performed(Collective call) {
        if (call instanceof AllGather gather) {
            memories.move(List.of(Move.copy(gather.input(), gather.outputs().getFirst())));
        } else if (!(call instanceof AllReduce)) {
            throw new InvalidCallException(
                    call.label() + " cannot be switched off inside another operation; leave that operation on");
        }
        return new CallSink.Success(
                call.label(), List.of(), 0, 0, 0, BackendChoice.LINKS, Switches.OFF, Work.NO_PEER, "", size(), null);
    }

    @Override
    public Runnable claim(List<Tensor> reads) {
        return talk.claim(reads);
    }

    @Override
    public <T> Mono<T> aside(Supplier<T> work) {
        return talk.aside(work);
    }

    @Override
    public Mono<Void> over() {
        return talk.over();
    }

    @Override
    public boolean isOnLoop() {
        return talk.isOnLoop();
    }
}
