package io.reactivecomm.engine;

import io.reactivecomm.schedule.Buffer;
import io.reactivecomm.schedule.Span;
import io.reactivecomm.schedule.Step;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Turns the steps of one section into runs over a call's memory and its partners. Used once, on the loop. */
final class Binding {

    private final Call call;
    private final Section section;
    private final Calls calls;
    private final Row scratch;
    private Step.@Nullable Send lastSend;
    private @Nullable SendRun lastSendRun;

    /**
     * @param calls has what folds work with
     * @param scratch the schedule's scratch
     */
    Binding(Call call, Section section, Calls calls, Row scratch) {
        this.call = call;
        this.section = section;
        this.calls = calls;
        this.scratch = scratch;
    }

    /** Adds a run for each step, from that place in the call's runs on. {@return the place after the last} */
    int addTo(Run[] runs, int first) {
        boolean isWatched = call.isWatched();
        List<Step> steps = section.steps(isWatched);
        for (int i = 0; i < steps.size(); i++) {
            Run run = run(steps.get(i));
            runs[first + i] = run;
            if (isWatched) {
                watch(run, steps.get(i));
            }
        }
        for (int i = 0; i < steps.size(); i++) {
            runs[first + i].waitFor(steps.get(i).waits(), runs, first);
        }
        return first + steps.size();
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
            case Step.Copy copy -> new CopyRun(call, stretch(copy.source()), stretch(copy.target()));
        };
    }

    private SendRun send(Step.Send step) {
        Partner partner = call.partnerAt(step.peer());
        SendRun twin = lastSend != null && isSame(step, lastSend) ? lastSendRun : null;
        SendRun run = new SendRun(call, partner, partner.nextSend(), stretch(step.source()), twin);
        partner.add(run);
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
        Partner partner = call.partnerAt(step.peer());
        ReceiveRun run = new ReceiveRun(call, partner, partner.nextIntake(), stretch(step.target()));
        partner.add(run);
        return run;
    }

    private Run fold(Step.Fold step) {
        return section.isCopy(step) && step.sources().getFirst() instanceof Step.Source.Local alone
                ? new CopyRun(call, stretch(alone.span()), stretch(step.target()))
                : foldRun(step);
    }

    private FoldRun foldRun(Step.Fold step) {
        List<Step.Source> sources = step.sources();
        Fold fold = new Fold(call, stretch(step.target()), sources.size(), step.finish(), calls.tools(section));
        FoldRun run = new FoldRun(fold, calls.staging());
        for (int i = 0; i < sources.size(); i++) {
            switch (sources.get(i)) {
                case Step.Source.Local local -> fold.local(i, stretch(local.span()), local.span().buffer() == Buffer.SCRATCH);
                case Step.Source.Remote remote -> {
                    Partner partner = call.partnerAt(remote.peer());
                    partner.add(run.remote(i, partner, partner.nextIntake(), remote.partial()));
                }
            }
        }
        return run;
    }

    private Stretch stretch(Span span) {
        return switch (span.buffer()) {
            case INPUT -> new Stretch(section.input(), span.from(), span.count(), section.elementBytes());
            case OUTPUT -> new Stretch(section.output(), span.from(), span.count(), section.elementBytes());
            case SCRATCH -> new Stretch(scratch, span.from(), span.count(), section.partialBytes());
        };
    }
}
