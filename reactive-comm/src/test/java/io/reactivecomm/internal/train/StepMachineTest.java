package io.reactivecomm.internal.train;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import io.reactivecomm.internal.train.StepMachine.HookPlace;
import io.reactivecomm.train.Gradient;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Each transition of a step: its event, and the effects that follow, in their order. */
class StepMachineTest {

    private static final long ALL = Long.MAX_VALUE;

    private final Noted noted = new Noted();

    /** The effects in words. */
    private static final class Noted implements StepEffects {

        private final List<String> effects = new ArrayList<>();
        private @Nullable Throwable error;
        private boolean areTakenAtOnce;

        /** {@return the effects since this was last asked} */
        private List<String> take() {
            List<String> taken = List.copyOf(effects);
            effects.clear();
            return taken;
        }

        @Override
        public void open() {
            effects.add("open");
        }

        @Override
        public void begins(int hook) {
            effects.add("begins " + hook);
        }

        @Override
        public void subscribe() {
            effects.add("subscribe");
        }

        @Override
        public void request(long count) {
            effects.add("request " + (count == ALL ? "all" : count));
        }

        @Override
        public void cancelSource() {
            effects.add("cancel source");
        }

        @Override
        public void apply(int hook, Gradient gradient) {
            effects.add("apply " + hook + " " + gradient.name());
        }

        @Override
        public void notice(int hook, Gradient notice) {
            effects.add(notice.kind() + " " + hook + " " + notice.name());
        }

        @Override
        public void passEnded(int hook) {
            effects.add("pass ended " + hook);
        }

        @Override
        public void noFurtherCalls(int hook) {
            effects.add("no further calls " + hook);
        }

        @Override
        public void complete() {
            effects.add("complete");
        }

        @Override
        public void fail(Throwable cause) {
            effects.add("fail " + cause.getMessage());
        }

        @Override
        public void leave() {
            effects.add("leave");
        }

        @Override
        public void endViews(@Nullable Throwable cause) {
            effects.add("views: " + text(cause));
        }

        @Override
        public void cancelHooks() {
            effects.add("cancel hooks");
        }

        @Override
        public boolean handOut(Gradient result) {
            effects.add("result " + result.name());
            return areTakenAtOnce;
        }

        @Override
        public void discard(Gradient result) {
            effects.add("discard " + result.name());
        }

        @Override
        public void end(@Nullable Throwable cause) {
            effects.add("end: " + text(cause));
            error = cause;
        }

        private static String text(@Nullable Throwable cause) {
            return cause == null
                    ? "success"
                    : cause instanceof CancellationException ? "cancelled" : String.valueOf(cause.getMessage());
        }
    }

    private static Gradient gradient(String name) {
        return new Gradient(name, Tensor.of(new float[] {1}));
    }

    private static HookPlace withGroup() {
        return new HookPlace(true, name -> true);
    }

    private static HookPlace alone() {
        return new HookPlace(false, name -> true);
    }

    private static HookPlace only(boolean hasGroup, String name) {
        return new HookPlace(hasGroup, name::equals);
    }

    /** {@return a step with as many composite calls as hooks with a group} */
    private StepMachine waiting(HookPlace... hooks) {
        int composites = (int) Stream.of(hooks).filter(HookPlace::hasGroup).count();
        return new StepMachine("step=0", List.of(hooks), composites, noted);
    }

    /** {@return a step that flows, with unlimited demand} */
    private StepMachine flowing(HookPlace... hooks) {
        StepMachine step = waiting(hooks);
        step.requested(ALL);
        step.begin();
        step.opened();
        noted.take();
        return step;
    }

    @Test
    void begin_opensBeforeAnythingElse() {
        StepMachine step = waiting(withGroup(), alone());
        step.requested(3);
        step.begin();

        assertThat(noted.take()).containsExactly("open");
    }

    @Test
    void opened_callsBeginsInOrder_thenSubscribes() {
        StepMachine step = waiting(withGroup(), alone());
        step.requested(3);
        step.begin();
        noted.take();
        step.opened();

        assertThat(noted.take()).containsExactly("begins 0", "begins 1", "subscribe", "request 3");
    }

    @Test
    void opened_afterFailure_failsComposites_andRunsNoPass() {
        StepMachine step = waiting(withGroup());
        step.begin();
        step.fail(new IllegalStateException("no memory"));
        step.opened();

        assertThat(noted.take()).containsExactly("open", "cancel source", "fail no memory");
    }

    @Test
    void opened_afterCancellation_leavesComposites_andRunsNoPass() {
        StepMachine step = waiting(withGroup());
        step.cancel();
        step.begin();
        step.opened();

        assertThat(noted.take()).containsExactly("open", "cancel source", "leave");
    }

    @Test
    void opened_afterEndElsewhere_runsNoPass_andEndsWithThatError() {
        StepMachine step = waiting(withGroup());
        step.begin();
        step.compositeStopped();
        step.compositeEnded(new IllegalStateException("rank 1 failed"));
        step.opened();

        assertThat(noted.take())
                .containsExactly(
                        "open", "cancel source", "fail rank 1 failed", "views: rank 1 failed", "end: rank 1 failed");
    }

    @Test
    void gradient_goesThroughHooks_thenToTheProgram() {
        StepMachine step = flowing(withGroup(), alone());
        Gradient w = gradient("w");
        step.arrived(w);
        assertThat(noted.take()).containsExactly("apply 0 w");
        step.applied(0, w);
        assertThat(noted.take()).containsExactly("apply 1 w");
        step.applied(1, w);
        assertThat(noted.take()).containsExactly("result w");
        assertThat(step.produced()).isEqualTo(1);
        assertThat(step.made()).isEqualTo(1);
    }

    @Test
    void gradient_passesHooksThatDoNotTakeIt() {
        StepMachine step = flowing(only(true, "a"), only(true, "b"));
        step.arrived(gradient("b"));
        step.arrived(gradient("c"));

        assertThat(noted.take()).containsExactly("apply 1 b", "result c");
    }

    @Test
    void gradient_secondTime_failsTheStep() {
        StepMachine step = flowing(withGroup());
        step.arrived(gradient("w"));
        noted.take();
        step.arrived(Gradient.absent("w"));

        assertThat(noted.take()).hasSize(2).first().isEqualTo("cancel source");
        step.applied(0, null);
        step.compositeEnded(null);
        assertThat(noted.error).isInstanceOf(InvalidCallException.class).hasMessageContaining("name=w, kind=ABSENT");
    }

    @Test
    void notice_goesToHooksUpToTheFirstWithAGroup() {
        StepMachine step = flowing(alone(), only(true, "other"), withGroup(), alone());
        step.arrived(Gradient.absent("w"));
        step.arrived(Gradient.kept("v"));

        assertThat(noted.take()).containsExactly("ABSENT 0 w", "ABSENT 2 w", "KEPT 0 v", "KEPT 2 v");
    }

    @Test
    void passEnded_waitsForEarlierHooks_andTheirResults() {
        StepMachine step = flowing(alone(), alone());
        Gradient w = gradient("w");
        step.arrived(w);
        step.sourceEnded();
        assertThat(noted.take()).containsExactly("apply 0 w", "pass ended 0");
        step.flowEnded(0);
        assertThat(noted.take()).isEmpty();
        step.applied(0, w);
        assertThat(noted.take()).containsExactly("apply 1 w", "no further calls 0", "pass ended 1");
    }

    @Test
    void passEnded_waitsForTheFlow_thoughNoGradientIsInside() {
        StepMachine step = flowing(alone(), alone());
        step.sourceEnded();
        step.emitted(0, gradient("kept back"));

        assertThat(noted.take()).containsExactly("pass ended 0", "apply 1 kept back");
        step.flowEnded(0);
        assertThat(noted.take()).containsExactly("no further calls 0", "pass ended 1");
    }

    @Test
    void passEnded_notBeforeTheSourceEnds() {
        StepMachine step = flowing(alone());
        step.arrived(gradient("w"));
        step.applied(0, null);

        assertThat(noted.take()).containsExactly("apply 0 w");
    }

    @Test
    void lastHookCompleted_completesComposites_thenEnds() {
        StepMachine step = flowing(withGroup());
        step.sourceEnded();
        step.emitted(0, gradient("of rank 1"));
        step.flowEnded(0);
        assertThat(noted.take()).containsExactly("pass ended 0", "result of rank 1", "no further calls 0", "complete");
        step.takenBack(null);
        step.compositeEnded(null);
        assertThat(noted.take()).containsExactly("views: success", "end: success");
        assertThat(step.isOver()).isTrue();
    }

    @Test
    void withoutHooks_gradientsComeBack_andTheStepEnds() {
        StepMachine step = flowing();
        step.arrived(gradient("w"));
        step.takenBack(null);
        step.sourceEnded();

        assertThat(noted.take()).containsExactly("result w", "complete", "views: success", "end: success");
    }

    @Test
    void end_waitsForEveryComposite_andForTakingBack() {
        StepMachine step = flowing(withGroup(), withGroup());
        step.arrived(gradient("w"));
        step.sourceEnded();
        step.flowEnded(0);
        step.applied(0, gradient("w"));
        step.flowEnded(1);
        step.applied(1, gradient("w"));
        step.compositeEnded(null);
        assertThat(noted.take()).endsWith("complete");
        step.compositeEnded(null);
        assertThat(noted.take()).containsExactly("views: success");
        step.takenBack(null);
        assertThat(noted.take()).containsExactly("end: success");
    }

    @Test
    void result_thatIsTakenAtOnce_delaysNoEnd() {
        StepMachine step = flowing();
        noted.areTakenAtOnce = true;
        step.arrived(gradient("a"));
        step.sourceEnded();

        assertThat(noted.take()).containsExactly("result a", "complete", "views: success", "end: success");
    }

    @Test
    void takingBack_thatFails_isThisRanksError_afterAllHaveComeBack() {
        StepMachine step = flowing();
        step.arrived(gradient("v"));
        step.arrived(gradient("w"));
        step.takenBack(new IllegalStateException("no optimizer"));
        step.sourceEnded();
        assertThat(noted.take()).containsExactly("result v", "result w", "complete", "views: success");
        step.takenBack(new IllegalStateException("nor here"));

        assertThat(noted.take()).containsExactly("end: no optimizer");
        assertThat(noted.error).isNotNull().hasSuppressedException(new IllegalStateException("nor here"));
    }

    @Test
    void failure_failsComposites_andNothingEntersAHook() {
        StepMachine step = flowing(withGroup(), alone());
        Gradient w = gradient("w");
        step.arrived(w);
        noted.take();
        step.fail(new IllegalStateException("first"));
        step.fail(new IllegalStateException("second"));
        step.applied(0, w);
        step.arrived(gradient("v"));
        step.sourceEnded();

        assertThat(noted.take()).containsExactly("cancel source", "fail first", "discard w");
        step.compositeEnded(new IllegalStateException("the same, by way of rank 1"));
        assertThat(noted.take()).containsExactly("views: first", "end: first");
    }

    @Test
    void failure_resultsOfWhatAllHaveBegun_areHandedOut_beforeTheError() {
        StepMachine step = flowing(withGroup());
        Gradient w = gradient("w");
        step.arrived(w);
        step.fail(new IllegalStateException("first"));
        noted.take();
        step.applied(0, w);
        step.compositeEnded(null);

        assertThat(noted.take()).containsExactly("result w", "views: first");
        step.takenBack(null);
        assertThat(noted.take()).containsExactly("end: first");
    }

    @Test
    void failure_withoutComposites_endsTheStep() {
        StepMachine step = flowing(alone());
        step.arrived(gradient("w"));
        noted.take();
        step.fail(new IllegalStateException("first"));

        assertThat(noted.take())
                .containsExactly("cancel source", "fail first", "views: first", "cancel hooks", "end: first");
    }

    @Test
    void failureElsewhere_stopsThePass_andFailsTheOtherComposites_onceTheCauseIsKnown() {
        StepMachine step = flowing(withGroup(), withGroup());
        step.compositeStopped();
        step.fail(new IllegalStateException("a consequence"));
        assertThat(noted.take()).containsExactly("cancel source");
        step.compositeEnded(new IllegalStateException("rank 1 is lost"));
        assertThat(noted.take()).containsExactly("fail rank 1 is lost");
        step.compositeEnded(null);
        assertThat(noted.take()).containsExactly("views: rank 1 is lost", "end: rank 1 is lost");
    }

    @Test
    void failureElsewhere_whileCompleting_failsTheStep() {
        StepMachine step = flowing(withGroup(), withGroup());
        step.sourceEnded();
        step.flowEnded(0);
        step.flowEnded(1);
        noted.take();
        step.compositeEnded(new IllegalStateException("rank 1 is lost"));
        step.compositeEnded(null);

        assertThat(noted.take())
                .containsExactly(
                        "cancel source", "fail rank 1 is lost", "views: rank 1 is lost", "end: rank 1 is lost");
    }

    @Test
    void hold_delaysTheEnd_andOwedResultsAreCancelledAfterIt() {
        StepMachine step = flowing(withGroup());
        Gradient v = gradient("v");
        step.arrived(v);
        step.arrived(gradient("w"));
        step.held();
        step.fail(new IllegalStateException("first"));
        step.compositeEnded(null);
        noted.take();
        step.applied(0, v);
        assertThat(noted.take()).containsExactly("result v");
        step.takenBack(null);
        step.released();

        assertThat(noted.take()).containsExactly("cancel hooks", "end: first");
        step.applied(0, v);
        assertThat(noted.take()).containsExactly("discard v");
    }

    @Test
    void cancellation_leavesComposites_andDiscardsResults() {
        StepMachine step = waiting(withGroup());
        Gradient v = gradient("v");
        step.requested(1);
        step.begin();
        step.opened();
        step.arrived(v);
        step.arrived(gradient("w"));
        step.applied(0, v);
        step.applied(0, gradient("w"));
        noted.take();
        step.cancel();
        assertThat(noted.take()).containsExactly("discard w", "cancel source", "leave");
        step.takenBack(null);
        step.emitted(0, gradient("x"));
        step.compositeEnded(null);

        assertThat(noted.take()).containsExactly("discard x", "views: cancelled", "end: success");
    }

    @Test
    void cancellation_ofAStepThatHasFailed_doesNotWaitForTheProgram() {
        StepMachine step = flowing(withGroup());
        step.arrived(gradient("w"));
        step.applied(0, gradient("w"));
        step.fail(new IllegalStateException("first"));
        step.compositeEnded(null);
        noted.take();
        step.cancel();

        assertThat(noted.take()).containsExactly("end: first");
    }

    @Test
    void demand_requestsAsManyAsResultsAreMissing_whenAllRequestedHaveCome() {
        StepMachine step = waiting(withGroup());
        step.requested(2);
        step.begin();
        step.opened();
        noted.take();
        step.arrived(gradient("a"));
        assertThat(noted.take()).containsExactly("apply 0 a");
        step.arrived(Gradient.absent("b"));
        assertThat(noted.take()).containsExactly("ABSENT 0 b", "request 2");
        step.applied(0, gradient("a"));
        step.arrived(gradient("c"));
        assertThat(noted.take()).containsExactly("result a", "apply 0 c");
    }

    @Test
    void demand_resultsWait_andDelayNeitherHooksNorComposites() {
        StepMachine step = waiting(withGroup());
        step.begin();
        step.opened();
        step.sourceEnded();
        step.emitted(0, gradient("v"));
        step.emitted(0, gradient("w"));
        step.flowEnded(0);
        step.compositeEnded(null);
        assertThat(noted.take())
                .containsExactly(
                        "open",
                        "begins 0",
                        "subscribe",
                        "pass ended 0",
                        "no further calls 0",
                        "complete",
                        "views: success");
        step.requested(1);
        step.takenBack(null);
        assertThat(noted.take()).containsExactly("result v");
        step.requested(1);
        step.takenBack(null);
        assertThat(noted.take()).containsExactly("result w", "end: success");
    }

    @Test
    void demand_beyondTheLargestNumber_isUnlimited() {
        StepMachine step = waiting();
        step.requested(ALL);
        step.requested(ALL);
        step.begin();
        step.opened();

        assertThat(noted.take()).containsExactly("open", "subscribe", "request all");
    }
}
