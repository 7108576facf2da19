package io.reactivecomm.internal.switches;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.Operation;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The ranges of calls that are off. */
class OffCallsTest {

    private static final Set<Operation> SUMS = Set.of(Operation.ALL_REDUCE);
    private static final Set<Operation> BOTH = Set.of(Operation.ALL_REDUCE, Operation.BROADCAST);

    private final OffCalls calls = new OffCalls();

    private static CallKey.Ticket call(String name, long ticket) {
        return new CallKey.Ticket(0, 0, name, ticket, 1);
    }

    private static CallKey.Ticket run(long ticket, int ordinal) {
        return new CallKey.Ticket(0, 0, "run", ticket, ordinal);
    }

    @Test
    void hundredThousandCallsOfAName_areOneRange_inAnyOrder() {
        List<Long> tickets =
                new ArrayList<>(LongStream.range(0, 100_000).boxed().toList());
        long seed = System.nanoTime();
        // A thread may be behind others by a few tickets.
        for (int from = 0; from < tickets.size(); from += 100) {
            Collections.shuffle(tickets.subList(from, from + 100), new Random(seed + from));
        }
        tickets.forEach(ticket -> calls.add(call("x", ticket), SUMS));
        assertThat(calls.size()).as("seed=%d", seed).isOne();
        assertThat(calls.find(call("x", 0))).isEqualTo(SUMS);
        assertThat(calls.find(call("x", 99_999))).isEqualTo(SUMS);
        assertThat(calls.find(call("x", 100_000))).isNull();
        assertThat(calls.find(call("y", 7))).isNull();
        assertThat(calls.find(new CallKey.Ticket(0, 0, "x", 7, 3)))
                .as("a later subscription")
                .isEqualTo(SUMS);
    }

    @Test
    void rangesOfDifferentSwitches_areKeptApart() {
        calls.add(call("x", 0), SUMS);
        calls.add(call("x", 1), BOTH);
        calls.add(call("x", 3), BOTH);
        assertThat(calls.size()).isEqualTo(3);
        assertThat(calls.find(call("x", 0))).isEqualTo(SUMS);
        assertThat(calls.find(call("x", 1))).isEqualTo(BOTH);
        assertThat(calls.find(call("x", 2))).isNull();
        calls.add(call("x", 2), BOTH);
        assertThat(calls.size()).isEqualTo(2);
        calls.add(call("x", 2), BOTH);
        assertThat(calls.size()).isEqualTo(2);
    }

    @Test
    void hundredThousandCallsBetweenOthers_takeBoundedMemory_andTheLatestAreKnown() {
        for (long ticket = 0; ticket < 200_000; ticket += 2) {
            calls.add(call("x", ticket), SUMS);
        }
        assertThat(calls.size()).isEqualTo(OffCalls.MOST);
        assertThat(calls.find(call("x", 199_998))).isEqualTo(SUMS);
        assertThat(calls.find(call("x", 0))).as("the oldest").isNull();
    }

    @Test
    void hundredThousandNames_takeBoundedMemory_andThoseInUseAreKnown() {
        for (int i = 0; i < 100_000; i++) {
            calls.add(call("used", i), SUMS);
            calls.add(new CallKey.Ticket(0, 0, "g", 0, 1, new Enclosure(run(i, 1), 5)), SUMS);
        }
        assertThat(calls.size()).isEqualTo(OffCalls.MOST);
        assertThat(calls.find(call("used", 0))).isEqualTo(SUMS);
        assertThat(calls.find(new CallKey.Ticket(0, 0, "g", 0, 1, new Enclosure(run(99_999, 1), 5))))
                .isEqualTo(SUMS);
        assertThat(calls.find(new CallKey.Ticket(0, 0, "g", 0, 1, new Enclosure(run(0, 1), 5))))
                .isNull();
    }

    @Test
    void runsOfACompositeCall_areOffOneByOne() {
        for (int ordinal = 1; ordinal <= 100_000; ordinal++) {
            if (ordinal < 50_000 || ordinal > 50_010) {
                calls.addRun(run(3, ordinal), SUMS);
            }
        }
        assertThat(calls.size()).isEqualTo(2);
        assertThat(calls.find(run(3, 49_999))).isEqualTo(SUMS);
        assertThat(calls.find(run(3, 50_005))).isNull();
        assertThat(calls.find(run(4, 1))).isNull();
    }
}
