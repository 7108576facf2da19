package io.reactivecomm.observability.trace;

import io.reactivecomm.internal.timeline.EventWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The parts of a job that was made up: steps with one call of gradients each, on ranks whose clocks differ.
 *
 * <p>All ranks begin a step together. A rank opens its call when it has computed; the call ends on all ranks {@link #MOVING} after the last opening.
 */
final class RecordedJob {

    static final long MILLI = 1_000_000;
    static final long COMPUTE = 20 * MILLI;
    static final long BETWEEN = 5 * MILLI;
    static final long MOVING = 3 * MILLI;

    private final int ranks;
    private final List<StringBuilder> parts = new ArrayList<>();
    private final List<Long> ahead = new ArrayList<>();
    private long at;
    private int step;

    /** @param seed of the clocks @param bound of their comparisons with rank 0; 0 for none */
    RecordedJob(int ranks, long seed, long bound) {
        this.ranks = ranks;
        Random dice = new Random(seed);
        for (int rank = 0; rank < ranks; rank++) {
            ahead.add(dice.nextLong(1L << 45));
            parts.add(new StringBuilder(
                    "[\n{\"name\":\"reactivecomm_part\",\"ph\":\"M\",\"pid\":1,\"tid\":1,\"args\":{\"format\":1,\"process\":\"p"
                            + rank + "\",\"nanos\":" + ahead.get(rank) + ",\"wallMicros\":0}}"));
            if (rank > 0 && bound > 0) {
                line(
                        rank,
                        "{\"name\":\"clock\",\"ph\":\"i\",\"cat\":\"clock\",\"pid\":" + (rank + 1)
                                + ",\"tid\":1,\"ts\":"
                                + time(rank, 0) + ",\"args\":{\"other\":0,\"offsetNanos\":"
                                + (ahead.get(0) - ahead.get(rank)) + ",\"boundNanos\":" + bound + "}}");
            }
        }
    }

    private void line(int rank, String line) {
        parts.get(rank).append(",\n").append(line);
    }

    private String time(int rank, long nanos) {
        return EventWriter.micros(nanos + ahead.get(rank)).toPlainString();
    }

    private void event(String kind, String name, int rank, int lane, long nanos, String args) {
        line(
                rank,
                "{\"name\":\"" + name + "\",\"ph\":\"" + kind + "\",\"cat\":\"call\",\"pid\":" + (rank + 1)
                        + ",\"tid\":" + lane + ",\"ts\":" + time(rank, nanos) + ",\"args\":{" + args + "}}");
    }

    /** A call of all ranks, of which each is subscribed to at a time of its own, and waits for its loop. {@return when it ended} */
    long call(String label, long[] subscribed, long[] queued) {
        long last = 0;
        for (int rank = 0; rank < ranks; rank++) {
            last = Math.max(last, subscribed[rank] + queued[rank]);
        }
        for (int rank = 0; rank < ranks; rank++) {
            event(
                    "B",
                    "all-reduce",
                    rank,
                    200,
                    subscribed[rank],
                    "\"call\":\"" + label + "\",\"group\":\"0\",\"groupSize\":" + ranks
                            + ",\"backend\":\"links\",\"bytes\":4000000");
            event(
                    "E",
                    "all-reduce",
                    rank,
                    200,
                    last + MOVING,
                    "\"payloadBytes\":6000000,\"queuedNanos\":" + queued[rank] + ",\"matchingNanos\":"
                            + (last - subscribed[rank] - queued[rank]) + ",\"wireNanos\":" + MOVING);
        }
        return last + MOVING;
    }

    /** A step in which ranks compute longer than {@link #COMPUTE}, and then their loops leave their calls waiting. */
    RecordedJob step(long[] longer, long[] queued) {
        long begin = at + BETWEEN;
        String run = "gradients#" + step++;
        long[] subscribed = new long[ranks];
        for (int rank = 0; rank < ranks; rank++) {
            subscribed[rank] = begin + COMPUTE + longer[rank];
            event(
                    "B",
                    "gradient buckets",
                    rank,
                    100,
                    begin,
                    "\"call\":\"" + run + "\",\"group\":\"0\",\"groupSize\":" + ranks);
        }
        at = call(run + "/bucket.0#0", subscribed, queued);
        for (int rank = 0; rank < ranks; rank++) {
            event("E", "gradient buckets", rank, 100, at, "");
        }
        return this;
    }

    /** Steps in which each rank computes longer by chance, by less than that. */
    RecordedJob steps(int count, long seed, long chance) {
        Random dice = new Random(seed);
        for (int i = 0; i < count; i++) {
            step(dice.longs(ranks, 0, chance).toArray(), new long[ranks]);
        }
        return this;
    }

    long[] only(int rank, long nanos) {
        long[] all = new long[ranks];
        all[rank] = nanos;
        return all;
    }

    List<Path> write(Path folder) throws IOException {
        List<Path> files = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++) {
            files.add(Files.writeString(folder.resolve("trace." + rank + ".json"), parts.get(rank) + "\n]\n"));
        }
        return files;
    }
}
