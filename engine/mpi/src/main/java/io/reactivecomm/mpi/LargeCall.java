package io.reactivecomm.mpi;

import io.reactivecomm.Operation;
import io.reactivecomm.spi.Failure;
import java.util.function.Function;

/**
 * A call that may hold the {@link Worker}'s thread: begun when all its ranks are there.
 *
 * <p><b>Threads.</b> The worker's; what it is at, any may ask.
 */
final class LargeCall implements Worker.Task {

    private final MpiProcess process;
    private final SmallCalls rounds;
    private final Running running;
    private final Function<Running, Plan> plans;
    private final Runnable over;
    private volatile boolean isInMpi;

    /**
     * One that waits for its turn on the thread.
     *
     * @param rounds takes what MPI has of it when it is called off
     * @param plans makes the plan of a call
     * @param over is told when the thread is free for others
     */
    LargeCall(MpiProcess process, SmallCalls rounds, Running running, Function<Running, Plan> plans, Runnable over) {
        this.process = process;
        this.rounds = rounds;
        this.running = running;
        this.plans = plans;
        this.over = over;
    }

    @Override
    public boolean isGivenUp() {
        return running.isGivenUp();
    }

    @Override
    public boolean isInMpi() {
        return isInMpi;
    }

    @Override
    public void run() {
        try {
            running.prepare();
            if (!running.isDropped() && running.ready().await(running::isDropped) && haveAllCome() && running.begin()) {
                isInMpi = true;
                perform();
            }
        } catch (RuntimeException | Error e) {
            running.failed(MpiFailures.of(running, e));
        } finally {
            isInMpi = false;
            over.run();
        }
    }

    /** A message is of two ranks, and the others make no call that they could gather for. */
    private boolean haveAllCome() {
        boolean isMessage = running.turn().call().collective().operation() == Operation.MESSAGE;
        return isMessage || BlockingStart.await(process, running.comms().blocking(), running::isDropped, rounds::leave);
    }

    private void perform() {
        Plan plan = plans.apply(running);
        BlockingCall call = new BlockingCall(plan, process, running.comms().blocking());
        try {
            if (!running.memory().arrival().await(running::isGivenUp)) {
                running.succeed("given up");
                return;
            }
            running.memory().give(call::perform);
            if (!running.isEnded()) {
                plan.finish().await(running::isGivenUp);
            }
        } catch (RuntimeException | Error e) {
            failed(call, e);
            return;
        } finally {
            if (!call.isHeld()) {
                plan.free();
            }
        }
        running.succeed("blocking");
    }

    private void failed(BlockingCall call, Throwable cause) {
        Failure failure = MpiFailures.of(running, cause);
        if (call.isHeld()) {
            process.keep(call);
            running.abandon(failure);
        } else {
            running.failed(failure);
        }
    }
}
