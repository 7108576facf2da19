package io.reactivecomm.spi.engine;

import io.reactivecomm.collective.Collective;
import io.reactivecomm.device.DeviceMemory;
import io.reactivecomm.device.Handle;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.CallKind;
import io.reactivecomm.spi.Completion;
import io.reactivecomm.spi.Failure;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Performs whole collectives of the tensors of some device, such as NCCL those of GPUs; the engine over links, which is called
 * {@code links}, is built in.
 *
 * <p>An engine matches calls by identity, whatever order they come in. One that needs the same order on all ranks is an
 * {@link OrderedEngine}, and gets it from what stands in front.
 *
 * <p><b>Threads.</b> All methods may be called from any thread.
 */
public interface CollectiveEngine {

    /**
     * {@return why it does not perform calls of a kind, for an error, or null if it does} Only kinds whose reduction {@linkplain
     * io.reactivecomm.Reduction#supports supports} their type are asked for.
     * What it refuses is performed over links if the tensors are the host's, and else by nobody. It answers alike on all ranks and at all times: by
     * the kind, and by what all ranks {@linkplain EngineContext#agree agreed} on when the engines were opened.
     */
    @Nullable String refusal(EngineGroup group, CallKind kind);

    /**
     * Requires that the engine can use this rank's tensors of a call, for example that they are in the memory of this rank's own device. It is asked at the
     * subscription, before any rank has begun the call. A call that fails here fails on all its ranks, and later calls work. By default an engine accepts all
     * tensors of its devices.
     *
     * @throws io.reactivecomm.InvalidCallException if it cannot, with the tensor and the remedy
     */
    default void requireUsable(EngineGroup group, Collective call) {}

    /**
     * {@return the memory of its devices; null if it has none, because it serves the host's or what others allocate} One that has some may
     * {@linkplain #enqueues() enqueue} calls, too: gradient buckets enqueue theirs between two lists of moves. If it does not, its calls are ordered behind what
     * was enqueued on their tensors, and end with their results.
     */
    default @Nullable DeviceMemory memory() {
        return null;
    }

    /**
     * Begins a call and returns at once. Calls come in the order in which this rank subscribes to them, which may differ between ranks: what
     * matches them is their identity.
     *
     * <p>The engine ends the call by its sink, once, within its deadline, and touches none of its tensors after that, unless it says so. One that {@link
     * EngineCall#isEnqueued} may end with a handle; deadline, failures and borrow then last until the handle's end. A call that failed its
     * checks on this rank does not come; one that fails in the engine is the engine's to make known to the other ranks.
     */
    void submit(EngineCall call, Sink sink);

    /**
     * No further call is submitted in this turn of the rank's loop: what has come since the last time began together, such as the messages of a batch. An
     * engine may have waited for that. It follows every {@link #submit} in the same turn, unless the world ends meanwhile.
     */
    default void submitted() {}

    /**
     * A collective failed its checks on this rank, and will not come: where other ranks have submitted it to this engine, it fails with that
     * cause. They may as well have given it to another engine, which is told too.
     */
    void refused(EngineGroup group, CallKey key, Failure cause);

    /**
     * A call or message that this rank has submitted has failed by what ranks have said over links: some of them did something else under its identity, or
     * gave it to another engine. It ends with that cause, unless all its ranks have begun it. Unknown calls are ignored.
     */
    void fail(EngineGroup group, CallKey key, Failure cause);

    /**
     * A message for this rank was sent over another engine, where receives from any wait here that could have taken it: it fails the receive that would take it
     * by the order of messages, as one does that its sender {@linkplain #refused refuses}, and the sender knows. An engine that refuses messages is told of none.
     *
     * @param message as its sender calls it
     */
    default void sentElsewhere(EngineGroup group, CallKey.Message message, Failure cause) {}

    /**
     * The body of a composite call is over on this rank: no call of that run will come here any more. One that other ranks have submitted, and
     * this one has not, fails there, and the run with it ({@link Sink#runFailed}).
     *
     * @param group the composite's; calls in the run may be of others, of some of its members
     * @param cause what is said to ranks that need more of the run, given a call that they need, for people
     */
    void compositeOver(EngineGroup group, CallKey.Ticket run, Function<String, Failure> cause);

    /**
     * A composite call has failed on this rank, as it will on all that have not ended it: what not all members of its group have submitted fails
     * with that cause. The rest runs to its end. No call of the run comes here any more. It may be one of which no call ever came.
     */
    void compositeFailed(EngineGroup group, CallKey.Ticket run, Failure cause);

    /**
     * This rank has begun another step of a group, or calls of it are switched off here: of a call that other ranks have submitted in an earlier step, and this
     * one has not, or that is off, {@link EngineGroup#assembled} says from here on whether it will. One that it will not make fails there with that cause, as one that it {@linkplain
     * #refused refuses}; in a composite call the outermost run does ({@link Sink#runFailed}).
     */
    void stepped(EngineGroup group);

    /**
     * A group was aborted, or a rank of it lost: what is pending in it fails with that cause. Every member's engine is told by its own rank.
     * Idempotent; also comes after {@link #closeGroup} and {@link #close}, and for groups of which no call ever came.
     */
    void failGroup(EngineGroup group, Failure cause);

    /** This rank has closed a group: what is pending in it fails, and what the engine holds for it is freed. Idempotent. */
    void closeGroup(EngineGroup group);

    /** The world ends: what is pending fails, and everything is freed. Idempotent. */
    void close();

    /** {@return whether calls can end when they are enqueued, with a handle that tells when their result is there} */
    default boolean enqueues() {
        return false;
    }

    /**
     * {@return whether the device of each rank performs that rank's calls in sequence, in the same order on all ranks}
     * If so, calls in flight may use the same memory, and the results are those of that order. {@link EngineCall#sharesMemory} marks the later ones.
     */
    default boolean isOrderedByDevice() {
        return false;
    }

    /**
     * Has it told, from any thread, of the groups that the engine itself cannot serve any more: they end on all their ranks, those too that are idle. Comes
     * once, before any call. An engine whose calls fail one by one has nothing to tell.
     */
    default void whenGroupFails(GroupListener told) {}

    /** Takes the failures of groups. */
    @FunctionalInterface
    interface GroupListener {

        /**
         * No call of a group can succeed any more; also told again, and of groups that have ended.
         *
         * @param id the {@link EngineGroup#id()}
         */
        void failed(long id, Failure cause);
    }

    /** Takes the end of one call, from any thread. */
    interface Sink {

        /** The result is in the tensors; or, of a call that {@linkplain EngineCall#isEnqueued may end so}, it has been enqueued. */
        void succeeded(Completion completion);

        /** The call failed, and none of its tensors is touched any more. */
        default void failed(Failure failure) {
            failed(failure, Handle.DONE);
        }

        /**
         * The call failed, while the engine's library may still be at its tensors, which it cannot be made to leave: so they are borrowed until {@code
         * hands} is {@linkplain Handle#released() released}. Nobody waits for that, neither the subscriber nor a close.
         */
        void failed(Failure failure, Handle hands);

        /**
         * The call failed because a run of a composite call that it is in has: on another rank, or because that one needs no such call. So the
         * run fails on this rank too, first of all.
         */
        void runFailed(CallKey.Ticket run, Failure failure);
    }
}
