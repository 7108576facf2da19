package io.reactivecomm.rcomm.overlap;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.observability.trace.MergedTimeline;
import io.reactivecomm.rcomm.timeline.TimelineCommand;
import io.reactivecomm.timeline.Timeline;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The timeline of one rank's calls, if the user asked for one: a part of the trace that rank 0 makes of all.
 *
 * @param trace the user's file
 */
record RankTimeline(@Nullable Path trace, @Nullable Timeline part) implements AutoCloseable {

    /** @param trace null if there is to be none */
    static RankTimeline of(@Nullable Path trace, int rank) {
        return new RankTimeline(trace, trace == null ? null : Timeline.to(Timeline.partOf(trace, rank)));
    }

    /** Has the calls of a world's group recorded from here on. */
    void observe(ProcessGroup group) {
        if (part != null) {
            group.observe(part);
        }
    }

    /** Made by all ranks: rank 0 makes one trace of the parts that it sees, once all are written. Ranks elsewhere keep theirs. */
    void merge(ProcessGroup group, PrintWriter out) {
        close();
        if (trace == null) {
            return;
        }
        group.named("timeline").barrier().block();
        if (group.rank() == 0) {
            List<Path> parts = IntStream.range(0, group.size())
                    .mapToObj(rank -> Timeline.partOf(trace, rank))
                    .toList();
            List<Path> here = parts.stream().filter(Files::exists).toList();
            MergedTimeline merged = MergedTimeline.of(here);
            merged.write(trace);
            TimelineCommand.show(merged, here, trace, out);
            if (here.size() == parts.size()) {
                here.forEach(RankTimeline::delete);
            } else {
                out.println("parts of other machines are missing: there=" + here
                        + "; bring all together and use `rcomm timeline`");
            }
        }
    }

    private static void delete(Path part) {
        try {
            Files.delete(part);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot remove a part of the timeline that is merged: file=" + part, e);
        }
    }

    @Override
    public void close() {
        if (part != null) {
            part.close();
        }
    }
}
