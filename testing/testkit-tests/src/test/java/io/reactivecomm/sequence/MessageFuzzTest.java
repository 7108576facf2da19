package io.reactivecomm.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.testkit.Depth;
import io.reactivecomm.testkit.SeededRandom;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Messages in the order, under random orders of their ends, receives from any, overlapping groups and faults.
 *
 * <p>More seeds, or one again: {@code ./mvnw -q -pl testing/testkit-tests -am test -Dtest=MessageFuzzTest
 * -Dsurefire.failIfNoSpecifiedTests=false -Dmessages.from=4711 -Dmessages.seeds=1}.
 */
class MessageFuzzTest {

    private static final int PLANS = 2_000;
    private static final int FEW = 20;

    private static final long FROM = Long.getLong("messages.from", 1);
    private static final int SEEDS = Depth.count("messages.seeds", 40_000);

    @Test
    void messages_manySeeds_meetTheirOtherEnds() {
        MessageFuzz fuzz = new MessageFuzz();
        long seed = fuzz.firstFailure(FROM, SEEDS);
        assertThat(seed).as(() -> fuzz.report(seed)).isEqualTo(Fuzz.NO_SEED);
    }

    /** What messages are to withstand is in enough plans: each kind of receives and of trouble, composites, collectives beside them, groups that are closed. */
    @Test
    void plans_haveAllKinds() {
        Map<Object, Integer> kinds = new HashMap<>();
        for (long seed = 0; seed < PLANS; seed++) {
            FuzzPlan plan = MessagePlans.of(new SeededRandom(seed));
            plan.calls()
                    .forEach(call -> kinds.merge(
                            call.getClass().getSimpleName() + (call.enclosure() == null ? "" : " in a run"),
                            1,
                            Integer::sum));
            plan.calls()
                    .forEach(call -> kinds.merge(
                            call instanceof FuzzCall.End end ? end.line().receives() : "collective", 1, Integer::sum));
            plan.troubles().forEach(trouble -> kinds.merge(trouble.kind(), 1, Integer::sum));
            kinds.merge(plan.closing(), 1, Integer::sum);
        }
        assertThat(kinds)
                .containsKeys((Object[]) FuzzPlan.Kind.values())
                .containsKeys((Object[]) FuzzCall.Receives.values())
                .containsKeys((Object[]) FuzzPlan.Closing.values())
                .containsKeys("End in a run", "All in a run", "collective");
        assertThat(kinds.values()).allMatch(plans -> plans > FEW);
    }
}
