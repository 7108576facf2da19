package io.reactivecomm.rcomm.perf;

import io.reactivecomm.rcomm.peers.ForeignLoad;
import io.reactivecomm.samples.programs.output.Progress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Rounds in each of which every contestant runs once, one after the other: what the machine does to one in a bad minute it does to the
 * others too, so that their ratio holds where their times do not.
 */
final class Comparison {

    private final PerfTable table;
    private final Supplier<ForeignLoad> load;
    private final Map<Contestant, List<PerfRow>> measured = new LinkedHashMap<>();
    private final Set<Contestant> runners;
    private final Progress progress = Progress.ofCommand();

    Comparison(List<Contestant> contestants, PerfTable table) {
        this(contestants, table, ForeignLoad::now);
    }

    /** @param load tells what others have had of the processors so far */
    Comparison(List<Contestant> contestants, PerfTable table, Supplier<ForeignLoad> load) {
        this.table = table;
        this.load = load;
        this.runners = new LinkedHashSet<>(contestants);
        contestants.forEach(contestant -> measured.put(contestant, new ArrayList<>()));
    }

    /** Runs the rounds, or until one of ours fails. {@return the code with which the command ends} */
    int run(int rounds) {
        for (int round = 1; round <= rounds; round++) {
            if (rounds > 1) {
                table.note("round " + round + " of " + rounds);
            }
            List<Contestant> all = List.copyOf(runners);
            for (Contestant contestant : all) {
                progress.part((round - 1) * all.size() + all.indexOf(contestant), rounds * all.size());
                int code = turn(contestant);
                if (code != 0) {
                    return code;
                }
            }
        }
        return 0;
    }

    private int turn(Contestant contestant) {
        ForeignLoad before = load.get();
        Contestant.Turn turn = contestant.run(table);
        noteLoad(contestant, before);
        measured.computeIfAbsent(contestant, none -> new ArrayList<>()).addAll(turn.rows());
        if (!turn.failure().isEmpty()) {
            table.note(contestant.entrant().label() + ": " + turn.failure());
            runners.remove(contestant);
        }
        return turn.exitCode();
    }

    private void noteLoad(Contestant contestant, ForeignLoad before) {
        load.get()
                .complaintsSince(before)
                .forEach(complaint -> table.note(contestant.entrant().label() + ": " + complaint));
    }

    /** {@return where everybody stands} */
    List<Standing> standings() {
        return measured.entrySet().stream()
                .map(entry -> Standing.of(entry.getKey().entrant(), entry.getValue()))
                .toList();
    }
}
