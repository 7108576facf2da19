package io.reactivecomm.engine;

import io.reactivecomm.kernel.FoldKernel;
import io.reactivecomm.schedule.Buffer;
import io.reactivecomm.schedule.Schedule;
import io.reactivecomm.schedule.Span;
import io.reactivecomm.schedule.Step;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Turns a schedule's steps into runs over a call's memory and its peers' links. Used once, on the loop. */
final class Binding {

    private static final long ALIGNMENT = 64;

    private final Call call;
    private final Submission.Body.Valid body;
    private final IntFunction<Peer> peers;
    private final Supplier<FoldKernel> kernel;
    private final Staging staging;
    private final int elementBytes;
    private final int partialBytes;
    private final Map<Peer, Partner> partners = new LinkedHashMap<>();
    private final List<Run> runs = new ArrayList<>();
    private final @Nullable Arena scratchArena;
    private final MemorySegment scratch;

    /**
     * @param peers the link's end for a rank of the group
     * @param kernel asked only if something is folded
     */
    Binding(Call call, Submission.Body.Valid body, Schedule schedule, IntFunction<Peer> peers, Supplier<FoldKernel> kernel, Staging staging) {
        this.call = call;
        this.body = body;
        this.peers = peers;
        this.kernel = kernel;
        this.staging = staging;
        this.elementBytes = call.elementBytes();
        this.partialBytes = call.signature().type().accumulator().byteSize();
        this.scratchArena = schedule.scratchCount() == 0 ? null : Arena.ofShared();
        this.scratch = scratchArena == null
                ? MemorySegment.NULL
                : scratchArena.allocate(schedule.scratchCount() * partialBytes, ALIGNMENT);
        for (Step step : schedule.steps()) {
            runs.add(run(step));
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

    @Nullable Arena scratch() {
        return scratchArena;
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
                case Step.Source.Local local -> run.local(i, memory(local.span()));
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
        MemorySegment whole = switch (span.buffer()) {
            case INPUT -> body.input();
            case OUTPUT -> body.output();
            case SCRATCH -> scratch;
        };
        return span.count() == 0 ? MemorySegment.NULL : whole.asSlice(span.from() * width(span), span.count() * width(span));
    }
}
