package io.reactivecomm.testkit.faults;

import io.reactivecomm.CustomReduction;
import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import reactor.core.publisher.Mono;

/**
 * A fault that a rank does to itself. Where that takes a callback on the loop, all ranks make one more call, which the others begin early
 * and the victim when it is to strike.
 */
final class SelfFault {

    /** Found in what the others are told of a fatal error. */
    static final String FATAL_TEXT = "OutOfMemoryError";

    private static final String NAME = "fault";
    private static final int EXIT_CODE = 3;

    /** More than any heap here. */
    private static final int HOG_BYTES = 1 << 30;

    /** A loop that nobody releases goes on after so long. */
    private static final long BOUND_SECONDS = 60;

    private final Fault fault;
    private final RunnerOutput talk;
    private final CountDownLatch released = new CountDownLatch(1);

    SelfFault(Fault fault, RunnerOutput talk) {
        this.fault = fault;
        this.talk = talk;
    }

    /**
     * {@return the call in whose end the victim strikes}
     *
     * @param tensors gets what is to be closed after the group
     */
    Mono<Work> call(ProcessGroup group, boolean isVictim, List<Tensor> tensors) {
        ProcessGroup named = group.named(NAME);
        if (fault == Fault.FATAL_IN_OPERATOR) {
            Tensor tensor = Tensor.allocate(DType.FLOAT32, group.size());
            tensors.add(tensor);
            return named.allReduce(
                    tensor, CustomReduction.ofFloats("sum", (one, other) -> isVictim ? fatal() : one + other));
        }
        return isVictim ? named.barrier().doOnNext(work -> strike()) : named.barrier();
    }

    private void strike() {
        if (fault == Fault.BLOCKED_LOOP) {
            block();
        } else {
            fatal();
        }
    }

    private void injected() {
        talk.say(RunnerOutput.INJECTED, System.nanoTime());
    }

    private double fatal() {
        injected();
        throw new OutOfMemoryError("made up by the matrix of faults");
    }

    private void block() {
        injected();
        try {
            if (!released.await(BOUND_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("nobody released the loop: bound=" + BOUND_SECONDS + " s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Gives the group's loop a task that fails, as one of the library's own would. */
    void strikeOnLoop(ProcessGroup group) {
        LoopOfGroup.find(group).execute(this::fatal);
    }

    /** Lets a blocked loop go on. */
    void release() {
        released.countDown();
    }

    /** Does what takes no call, on this thread. */
    void strikeHere() {
        injected();
        if (fault == Fault.EXIT) {
            System.exit(EXIT_CODE);
        }
        List<byte[]> hog = new ArrayList<>();
        while (hog.size() < BOUND_SECONDS) {
            hog.add(new byte[HOG_BYTES]);
        }
        throw new IllegalStateException("the heap is larger than a rank's: arrays=" + hog.size());
    }
}
