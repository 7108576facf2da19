package io.reactivecomm.engine;

import io.reactivecomm.kernel.FoldKernel;
import io.reactivecomm.schedule.Buffer;
import io.reactivecomm.schedule.Schedule;
import io.reactivecomm.schedule.Span;
import io.reactivecomm.schedule.Step;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/** Turns a schedule's steps into runs over a call's memory and its peers' links. Used once, on the loop. */
final class Binding {

    private final Call call;
    private final Submission.Body.Valid body;
    private final IntFunction<Peer> peers;
    private final Supplier<FoldKernel> kernel;
    private final Staging staging;
    private final int elementBytes;
    private final int partialBytes;
    private final Map<Peer, Partner> partners = new LinkedHashMap<>();
    private final List<Run> runs = new ArrayList<>();
    private final MemorySegment scratch;

    /**
     * @param peers the link's end for a rank of the group
     * @param kernel asked only if something is folded
     * @param scratch the schedule's scratch
     */
    Binding(
            Call call,
            Submission.Body.Valid body,
            Schedule schedule,
            IntFunction<Peer> peers,
            Supplier<FoldKernel> kernel,
            Staging staging,
            MemorySegment scratch) {
        this.call = call;
        this.body = body;
        this.peers = peers;
        this.kernel = kernel;
        this.staging = staging;
        this.elementBytes = call.elementBytes();
        this.partialBytes = call.partialBytes();
        this.scratch = scratch;
        boolean isWatched = call.submission().sink() instanceof PartSink;
        for (Step step : schedule.steps()) {
            Run run = run(step);
            runs.add(run);
            if (isWatched) {
                watch(run, step);
            }
        }
        Run[] all = runs.toArray(Run[]::new);
        for (int i = 0; i < all.length; i++) {
            all[i].waitFor(schedule.steps().get(i).waits(), all);
        }
    }

    List<Run> runs() {
        return runs;
    }

    Map<Peer, Partner> partners() {
        return partners;
    }

    /** Tells the subscriber of what the step writes into the output, as it does. */
    private void watch(Run run, Step step) {
        Span target = switch (step) {
            case Step.Send ignored -> null;
            case Step.Receive receive -> receive.target();
            case Step.Fold fold -> fold.target();
            case Step.Copy copy -> copy.target();
        };
        if (target != null && target.buffer() == Buffer.OUTPUT) {
            run.watch((from, count) -> call.landed(target.from() + from, count));
        }
    }

    private Run run(Step step) {
        return switch (step) {
            case Step.Send send -> send(send);
            case Step.Receive receive -> receive(receive);
            case Step.Fold fold -> fold(fold);
            case Step.Copy copy -> new CopyRun(call, memory(copy.source()), memory(copy.target()), copy.count());
        };
    }

    private SendRun send(Step.Send step) {
        Partner partner = partner(step.peer());
        SendRun run = new SendRun(call, partner, partner.nextSend(), memory(step.source()), width(step.source()), step.count());
        partner.add(run);
        return run;
    }

    private ReceiveRun receive(Step.Receive step) {
        Partner partner = partner(step.peer());
        ReceiveRun run = new ReceiveRun(call, partner, partner.nextIntake(), memory(step.target()), width(step.target()), step.count());
        partner.add(run);
        return run;
    }

    private FoldRun fold(Step.Fold step) {
        FoldRun.Tools tools = new FoldRun.Tools(kernel.get(), staging);
        int width = step.finish() ? elementBytes : partialBytes;
        FoldRun run = new FoldRun(call, memory(step.target()), width, step.count(), step.sources().size(), step.finish(), tools);
        for (int i = 0; i < step.sources().size(); i++) {
            switch (step.sources().get(i)) {
                case Step.Source.Local local -> run.local(i, memory(local.span()), local.span().buffer() == Buffer.SCRATCH);
                case Step.Source.Remote remote -> {
                    Partner partner = partner(remote.peer());
                    int bytes = remote.partial() ? partialBytes : elementBytes;
                    partner.add(run.remote(i, partner, partner.nextIntake(), bytes, remote.partial()));
                }
            }
        }
        return run;
    }

    private Partner partner(int groupRank) {
        return partners.computeIfAbsent(peers.apply(groupRank), peer -> new Partner(call, peer));
    }

    private int width(Span span) {
        return span.buffer() == Buffer.SCRATCH ? partialBytes : elementBytes;
    }

    private MemorySegment memory(Span span) {
        if (span.count() == 0) {
            return MemorySegment.NULL;
        }
        return switch (span.buffer()) {
            case INPUT -> body.input().slice(span.from(), span.count(), elementBytes);
            case OUTPUT -> body.output().slice(span.from(), span.count(), elementBytes);
            case SCRATCH -> scratch.asSlice(span.from() * partialBytes, span.count() * partialBytes);
        };
    }
}
