package io.reactivecomm.observability.doctor;

import io.reactivecomm.internal.base.PrintableText;
import io.reactivecomm.recorder.DumpOrigin;
import io.reactivecomm.recorder.FlightDump;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * The dumps of the world that the newest is of. A folder may have those of earlier runs, too, or of other worlds of the same ranks: a rank that was killed
 * in this run and has left no dump is not the one that wrote one yesterday.
 *
 * @param warnings a sentence for each other world, whose dumps are left out
 */
record OneWorld(List<FlightDump> dumps, List<String> warnings) {

    /** {@return it} @param all one at least */
    static OneWorld newestOf(Collection<FlightDump> all) {
        List<FlightDump> newestFirst = all.stream()
                .sorted(Comparator.comparing((FlightDump each) -> each.origin().time())
                        .reversed())
                .toList();
        String newest = newestFirst.getFirst().origin().worldId();
        Map<String, List<FlightDump>> worlds = newestFirst.stream()
                .collect(Collectors.groupingBy(
                        each -> each.origin().worldId(), LinkedHashMap::new, Collectors.toList()));
        List<FlightDump> dumps = Objects.requireNonNull(worlds.remove(newest));
        return new OneWorld(
                dumps, worlds.values().stream().map(OneWorld::warning).toList());
    }

    /** @param dumps those of another world, the newest first */
    private static String warning(List<FlightDump> dumps) {
        DumpOrigin newest = dumps.getFirst().origin();
        List<Integer> ranks =
                dumps.stream().map(FlightDump::rank).distinct().sorted().toList();
        return PrintableText.of(
                "dumps of another world are left out: world=" + newest.worldId() + ", of " + Words.ranks(ranks)
                        + ", the newest of " + newest.time() + "; for a diagnosis of that world give its dumps alone");
    }
}
