package io.reactivecomm.bucket;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Work;
import io.reactivecomm.bucket.BucketPlan.Bucket;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * One bucket of one step, from its memory to its results.
 *
 * <pre>
 *   load ──&gt; reduce ──&gt; reduced ──&gt; unload ──&gt; letGo ──&gt; bring
 *     └───────── a failure, at any place ────────^
 * </pre>
 *
 * <p><b>Threads.</b> The step's worker, but for {@link #reduce} and {@link #reduced}.
 */
interface Flight {

    Bucket bucket();

    /** {@return what the bucket's composite call is named, the same on all ranks} */
    String operation();

    /**
     * Puts the bucket's gradients where they are reduced.
     *
     * @return whether there is memory; if not, once a buffer was let go there will be
     */
    boolean load(StepProgress step, FlatBuffers buffers, @Nullable GradientArena storage);

    /** {@return the end of what puts them there; null if that is now} */
    @Nullable Mono<Void> loaded();

    /** {@return whether code that is not this library's takes part: then the call has a deadline as a whole} */
    boolean isReducedByOthers();

    /** {@return the calls that reduce it} They begin after it was loaded. */
    Mono<Work> reduce(ProcessGroup inside);

    /** The calls have their result, or are enqueued. */
    void reduced(Work work);

    /** Brings the results out of the memory that is let go. {@return the end of that and of all before; null if that is now} */
    @Nullable Mono<Void> unload(StepProgress step);

    /** Lets go of the memory, if there is any. @param isReduced whether the calls have ended well; else memory of theirs may still be touched */
    void letGo(FlatBuffers buffers, boolean isReduced);

    /** Puts results in the gradients' places, where they are none of the tensors that came: these are given back by now. */
    void bring(StepProgress step);

    /** Closes results that nobody is to have. */
    void discard();
}
