package io.reactivecomm.timeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.testkit.StubCall;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Ends of calls that found no room. */
class LostEndsTest {

    private final LostEnds lost = new LostEnds(2);
    private final List<String> settled = new ArrayList<>();

    private void settle(long taken) {
        lost.settle(
                taken,
                (call, nanos) -> settled.add(call.label() + " at " + nanos),
                nanos -> settled.add("all at " + nanos));
    }

    private static StubCall call(String label) {
        return new StubCall(0, label, 0);
    }

    @Test
    void call_hasItsTurn_behindWhatStoodInTheRing() {
        lost.add(call("#0"), 8, 100);
        lost.add(call("#1"), 9, 200);
        settle(7);
        assertThat(settled).isEmpty();
        assertThat(lost.isEmpty()).isFalse();
        settle(8);
        assertThat(settled).containsExactly("#0 at 100");
        settle(9);
        assertThat(settled).containsExactly("#0 at 100", "#1 at 200");
        assertThat(lost.isEmpty()).isTrue();
    }

    @Test
    void moreThanAreKept_areAllThatAreOpen_once() {
        for (int i = 0; i < 5; i++) {
            lost.add(call("#" + i), 8, 100 + i);
        }
        settle(8);
        settle(9);
        assertThat(settled).containsExactly("#0 at 100", "#1 at 101", "all at 104");
        lost.add(call("#5"), 20, 200);
        settle(30);
        assertThat(settled).last().isEqualTo("#5 at 200");
    }
}
