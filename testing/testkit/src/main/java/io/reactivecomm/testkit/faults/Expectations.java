package io.reactivecomm.testkit.faults;

import io.reactivecomm.testkit.faults.Expectation.Closes;
import io.reactivecomm.testkit.faults.Expectation.GoesOn;
import io.reactivecomm.testkit.faults.Expectation.Refused;
import io.reactivecomm.testkit.faults.Expectation.Told;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The table of the ends that cells must come to. The first row that has the cell's fault and phase counts. */
final class Expectations {

    /** A connection that ends tells at once: contract 5's second at most, and this for ninety-nine of a hundred. */
    private static final Duration DEATH = Duration.ofMillis(250);

    /** The detector's three seconds, and half of one. */
    private static final Duration SILENCE = Duration.ofMillis(3_500);

    /** Shorter than the detector's limit. */
    private static final Duration OUTAGE = Duration.ofMillis(1_800);

    /** Longer than the detector's limit. */
    static final Duration BLOCK = Duration.ofMillis(3_500);

    /** What a call may take that the fault delays, after it has passed. */
    private static final Duration CATCHING_UP = Duration.ofSeconds(2);

    /** The system asks for a connection again after one second and after three. */
    private static final Duration CONNECTING = Duration.ofSeconds(5);

    /** One second of flushing, as close promises, and half of one. */
    private static final Duration CLOSING = Duration.ofMillis(1_500);

    private static final String VICTIM = "rank[= ]" + RankPlan.VICTIM + "\\b";
    private static final String MISSING = VICTIM + "|missing=\\[" + RankPlan.VICTIM + "]";
    private static final Set<String> LOST = Set.of("PeerLostException");
    private static final Set<String> ENDED = Set.of("GroupClosedException", "PeerLostException");
    private static final Set<String> NO_WORLD = Set.of("RendezvousException");

    private static final Set<Phase> ALL = EnumSet.allOf(Phase.class);
    private static final Set<Phase> MEETING = EnumSet.of(Phase.RENDEZVOUS);
    private static final Set<Phase> LEAVING = EnumSet.of(Phase.CLOSE);

    private static final Set<Fault> DEATHS = EnumSet.of(Fault.KILL, Fault.EXIT, Fault.MEMORY_FULL);
    private static final Set<Fault> SILENCES = EnumSet.of(Fault.STOP, Fault.PARTITION);
    private static final Set<Fault> FATAL = EnumSet.of(Fault.FATAL_IN_SUBSCRIBER, Fault.FATAL_IN_OPERATOR);
    private static final Set<Fault> HARMLESS = EnumSet.of(Fault.SLOW_LINK, Fault.DISK_FULL, Fault.FLOOD);

    private record Row(Set<Fault> faults, Set<Phase> phases, Expectation end) {}

    private static final List<Row> TABLE = List.of(
            new Row(EnumSet.of(Fault.WRONG_TOKEN), ALL, new Refused(NO_WORLD, "token", Duration.ofSeconds(1))),
            new Row(EnumSet.allOf(Fault.class), LEAVING, new Closes(CLOSING)),
            new Row(DEATHS, MEETING, new Told(NO_WORLD, VICTIM, Duration.ofSeconds(2))),
            new Row(SILENCES, MEETING, new Told(NO_WORLD, MISSING, RankPlan.MEETING_LIMIT.plus(CATCHING_UP))),
            new Row(DEATHS, ALL, new Told(LOST, VICTIM, DEATH)),
            new Row(SILENCES, ALL, new Told(LOST, VICTIM, SILENCE)),
            // The loop of a local world serves several ranks, and its task is nobody's; elsewhere the rank is named.
            new Row(
                    EnumSet.of(Fault.FATAL_ON_LOOP),
                    ALL,
                    new Told(ENDED, "(" + VICTIM + "|loop of several ranks)(?s:.*)" + SelfFault.FATAL_TEXT, DEATH)),
            new Row(FATAL, ALL, new Told(ENDED, VICTIM + "(?s:.*)" + SelfFault.FATAL_TEXT, DEATH)),
            new Row(EnumSet.of(Fault.BLOCKED_LOOP), ALL, new GoesOn(BLOCK.plus(CATCHING_UP))),
            new Row(EnumSet.of(Fault.BLIP), MEETING, new GoesOn(OUTAGE.plus(CONNECTING))),
            new Row(EnumSet.of(Fault.BLIP), ALL, new GoesOn(OUTAGE.plus(CATCHING_UP))),
            // Each loss in a row doubles the wait of the connection that is to send again.
            new Row(EnumSet.of(Fault.LOSS), ALL, new GoesOn(Duration.ofSeconds(30))),
            new Row(HARMLESS, ALL, new GoesOn(Duration.ofSeconds(10))));

    private Expectations() {}

    /** {@return what that cell must end in} */
    static Expectation of(Cell cell) {
        return TABLE.stream()
                .filter(row ->
                        row.faults().contains(cell.fault()) && row.phases().contains(cell.phase()))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no expectation: cell=" + cell + "; add a row"))
                .end();
    }

    /** {@return how long a fault lasts that passes by itself} */
    static Duration duration(Fault fault) {
        return switch (fault) {
            case BLIP -> OUTAGE;
            case BLOCKED_LOOP -> BLOCK;
            case KILL, EXIT, STOP, PARTITION, LOSS, SLOW_LINK, MEMORY_FULL, DISK_FULL, WRONG_TOKEN, FLOOD ->
                Duration.ZERO;
            case FATAL_IN_SUBSCRIBER, FATAL_IN_OPERATOR, FATAL_ON_LOOP -> Duration.ZERO;
        };
    }
}
