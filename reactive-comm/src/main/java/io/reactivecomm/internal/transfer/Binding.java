package io.reactivecomm.internal.transfer;

import io.reactivecomm.internal.schedule.Buffer;
import io.reactivecomm.internal.schedule.Span;
import io.reactivecomm.internal.schedule.Step;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Turns the steps of one collective into runs over a call's memory and its edges. Used once, on the loop. */
public final class Binding {

    private static final Run[] NO_RUNS = new Run[0];

    /** Each collective's scratch begins at a multiple of this, in bytes: a cache line. */
    private static final long SCRATCH_ALIGNMENT = 64;

    private final Transfer transfer;
    private final ScheduledCollective scheduled;
    private final TensorRow scratch;
    private Step.@Nullable Send lastSend;
    private @Nullable SendRun lastSendRun;

    /** @param scratch the schedule's scratch */
    private Binding(Transfer transfer, ScheduledCollective scheduled, TensorRow scratch) {
        this.transfer = transfer;
        this.scheduled = scheduled;
        this.scratch = scratch;
    }

    /**
     * Gives a call its steps, and the memory that they work in.
     *
     * @param watcher takes what is final in the output, as it becomes so; null if nobody does
     * @return whether there is that memory; otherwise the call has its {@link Transfer#fault}
     */
    public static boolean bind(
            Transfer transfer, List<ScheduledCollective> collectives, Run.@Nullable Watcher watcher) {
        int steps = 0;
        long scratchBytes = 0;
        for (int i = 0; i < collectives.size(); i++) {
            steps += collectives.get(i).steps(watcher != null).size();
            scratchBytes += aligned(collectives.get(i).scratchBytes());
        }
        Scratch.Block block = scratchBytes == 0 ? null : transfer.scratch().take(scratchBytes);
        if (scratchBytes > 0 && block == null) {
            transfer.lacksMemory(scratchBytes);
            return false;
        }
        MemorySegment memory = block == null ? MemorySegment.NULL : block.memory();
        transfer.bind(runs(transfer, collectives, steps, memory, watcher), block);
        return true;
    }

    private static Run[] runs(
            Transfer transfer,
            List<ScheduledCollective> collectives,
            int steps,
            MemorySegment memory,
            Run.@Nullable Watcher watcher) {
        Run[] runs = steps == 0 ? NO_RUNS : new Run[steps];
        int bound = 0;
        long scratchFrom = 0;
        for (int i = 0; i < collectives.size(); i++) {
            ScheduledCollective scheduled = collectives.get(i);
            bound = new Binding(transfer, scheduled, scratchRow(scheduled, memory, scratchFrom))
                    .addTo(runs, bound, watcher);
            scratchFrom += aligned(scheduled.scratchBytes());
        }
        return runs;
    }

    private static TensorRow scratchRow(ScheduledCollective scheduled, MemorySegment memory, long from) {
        long count = scheduled.schedule().scratchCount();
        return count == 0 ? TensorRow.NONE : TensorRow.of(memory.asSlice(from, scheduled.scratchBytes()), count);
    }

    /** {@return the bytes that leave what follows aligned for every type} */
    private static long aligned(long bytes) {
        return (bytes + SCRATCH_ALIGNMENT - 1) / SCRATCH_ALIGNMENT * SCRATCH_ALIGNMENT;
    }

    /** Adds a run for each step, from that place in the call's runs on. {@return the place after the last} */
    private int addTo(Run[] runs, int first, Run.@Nullable Watcher watcher) {
        List<Step> steps = scheduled.steps(watcher != null);
        for (int i = 0; i < steps.size(); i++) {
            Run run = run(steps.get(i));
            runs[first + i] = run;
            if (watcher != null) {
                watch(run, steps.get(i), watcher);
            }
        }
        for (int i = 0; i < steps.size(); i++) {
            runs[first + i].waitFor(steps.get(i).waits(), runs, first);
        }
        return first + steps.size();
    }

    /** Tells the subscriber of what the step writes into the output, as it does. */
    private static void watch(Run run, Step step, Run.Watcher watcher) {
        Span target = switch (step) {
            case Step.Send ignored -> null;
            case Step.Receive receive -> receive.target();
            case Step.Fold fold -> fold.target();
            case Step.Copy copy -> copy.target();
        };
        if (target != null && target.buffer() == Buffer.OUTPUT) {
            run.watch((from, count) -> watcher.progressed(target.from() + from, count));
        }
    }

    private Run run(Step step) {
        return switch (step) {
            case Step.Send send -> send(send);
            case Step.Receive receive -> receive(receive);
            case Step.Fold fold -> fold(fold);
            case Step.Copy copy -> new CopyRun(transfer, slice(copy.source()), slice(copy.target()), shared().later());
        };
    }

    private Resources shared() {
        return transfer.resources();
    }

    private Edges edgesTo(int groupRank) {
        return transfer.edgesTo(groupRank);
    }

    private SendRun send(Step.Send step) {
        Edges edges = edgesTo(step.peer());
        SendRun twin = lastSend != null && isSame(step, lastSend) ? lastSendRun : null;
        SendRun run = new SendRun(transfer, edges, edges.nextSend(), slice(step.source()), twin);
        edges.add(run, scheduled.pairing());
        lastSend = step;
        lastSendRun = run;
        return run;
    }

    /**
     * {@return whether two steps send the same bytes}
     * What writes there after one of them waits for that one; if the other came still later, it would wait for what writes.
     */
    private static boolean isSame(Step.Send one, Step.Send other) {
        return one.source().equals(other.source()) && one.waits().equals(other.waits());
    }

    private ReceiveRun receive(Step.Receive step) {
        Edges edges = edgesTo(step.peer());
        ReceiveRun run = new ReceiveRun(
                transfer,
                edges,
                edges.nextIntake(),
                slice(step.target()),
                scheduled.schedule().pieceElements());
        edges.add(run, scheduled.pairing());
        return run;
    }

    private Run fold(Step.Fold step) {
        return scheduled.isCopy(step) && step.sources().getFirst() instanceof Step.Source.Local alone
                ? new CopyRun(transfer, slice(alone.span()), slice(step.target()), shared().later())
                : foldRun(step);
    }

    private FoldRun foldRun(Step.Fold step) {
        List<Step.Source> sources = step.sources();
        FoldOperation fold = new FoldOperation(
                slice(step.target()), transfer.groupSize(), sources.size(), step.finish(), shared().tools(scheduled));
        FoldRun run = new FoldRun(transfer, fold, shared(), scheduled.schedule().pieceElements());
        for (int i = 0; i < sources.size(); i++) {
            switch (sources.get(i)) {
                case Step.Source.Local local ->
                    fold.local(i, slice(local.span()), local.span().buffer() == Buffer.SCRATCH);
                case Step.Source.Remote remote -> {
                    Edges edges = edgesTo(remote.peer());
                    edges.add(run.remote(i, edges, edges.nextIntake(), remote.partial()), scheduled.pairing());
                }
            }
        }
        return run;
    }

    private RowSlice slice(Span span) {
        TensorRow row = switch (span.buffer()) {
            case INPUT -> scheduled.input();
            case OUTPUT -> scheduled.output();
            case SCRATCH -> scratch;
        };
        int bytes = span.buffer() == Buffer.SCRATCH ? scheduled.partialBytes() : scheduled.elementBytes();
        return new RowSlice(row, span.from(), span.count(), bytes);
    }
}
