package io.reactivecomm.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.testkit.Depth;
import io.reactivecomm.testkit.sim.SeededRandom;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Messages in the order, under random orders of their ends, receives from any, overlapping groups and faults.
 *
 * <p>More seeds, or one again: {@code ./mvnw -q -pl transport/testkit -am test -Dtest=MessageFuzzTest
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
        assertThat(seed).as(() -> fuzz.report(seed)).isEqualTo(MessageFuzz.NO_SEED);
    }

    @Test
    void plans_haveAllKinds() {
        Map<Enum<?>, Integer> kinds = new HashMap<>();
        for (long seed = 0; seed < PLANS; seed++) {
            MessagePlan plan = MessagePlan.of(new SeededRandom(seed));
            plan.lines().forEach(line -> kinds.merge(line.receives(), 1, Integer::sum));
            if (plan.trouble() != null) {
                kinds.merge(plan.trouble().kind(), 1, Integer::sum);
            }
        }
        assertThat(kinds).containsKeys(MessagePlan.Kind.values()).containsKeys(MessagePlan.Receives.values());
        assertThat(kinds.values()).allMatch(plans -> plans > FEW);
    }
}
