package io.reactivecomm.testkit.faults;

import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A fault being done to a party, until it is lifted. */
final class Injection {

    private static final Duration BOUND = Duration.ofSeconds(20);

    /** Less than shared memory ever takes, more than a line of output. */
    private static final String NO_GROWTH = "--fsize=4096:";

    private final Cell cell;
    private final CellProcesses party;
    private final RankPlan plan;
    private final @Nullable NamespaceNetwork network;
    private @Nullable ConnectionFlood flood;

    /** @param network the ranks' own, or null */
    Injection(CellProcesses party, RankPlan plan, @Nullable NamespaceNetwork network) {
        this.cell = plan.cell();
        this.party = party;
        this.plan = plan;
        this.network = network;
    }

    /** Does it. {@return when} */
    long begin() throws IOException, InterruptedException {
        long at = System.nanoTime();
        switch (cell.fault()) {
            case KILL -> party.victim().kill();
            case STOP -> party.victim().signal("STOP");
            case PARTITION, BLIP -> net().cut();
            case LOSS -> net().lose();
            case SLOW_LINK -> net().slow();
            case DISK_FULL -> limit(NO_GROWTH);
            case WRONG_TOKEN ->
                party.stranger()
                        .send("join "
                                + plan.withRank(RankPlan.VICTIM)
                                        .withToken("a-wrong-token-for-the-matrix")
                                        .line());
            case FLOOD -> flood = new ConnectionFlood(plan.port());
            case EXIT, MEMORY_FULL, FATAL_IN_SUBSCRIBER, FATAL_IN_OPERATOR, FATAL_ON_LOOP, BLOCKED_LOOP -> {
                party.victim().send("fault");
                return Long.parseLong(
                        party.victim().await(RunnerOutput.INJECTED, BOUND).split(" ")[1]);
            }
        }
        return at;
    }

    /** Undoes what can be undone, as often as one likes. */
    void lift() throws IOException {
        switch (cell.fault()) {
            case STOP -> party.victim().signal("CONT");
            case PARTITION, BLIP, LOSS, SLOW_LINK -> net().heal();
            case DISK_FULL -> limit("--fsize=unlimited:");
            case BLOCKED_LOOP -> party.victim().send("release");
            case KILL, EXIT, MEMORY_FULL, FATAL_IN_SUBSCRIBER, FATAL_IN_OPERATOR, FATAL_ON_LOOP, WRONG_TOKEN -> {}
            case FLOOD -> ebb();
        }
    }

    private void ebb() {
        if (flood != null) {
            flood.close();
            flood = null;
        }
    }

    private NamespaceNetwork net() {
        return Objects.requireNonNull(network, "a fault of the network without one");
    }

    private void limit(String limit) throws IOException {
        Command.run("prlimit", "--pid", Long.toString(party.victim().pid()), limit);
    }
}
