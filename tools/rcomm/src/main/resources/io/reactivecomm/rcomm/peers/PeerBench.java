import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import mpi.Intracomm;
import mpi.MPI;

/**
 * Times one collective of MPJ Express, or a list of all-reduces, on float32, for {@code rcomm perf --peers}. Ranks are threads of one JVM,
 * each of which loads this class for itself.
 *
 * <pre>
 *   PeerBench OP BATCHES BATCH_SECONDS WARM_UP_SECONDS SIZES     sizes in bytes, as nccl-tests counts them
 *   PeerBench list BATCHES BATCH_SECONDS WARM_UP_SECONDS @FILE   an element count on each line
 * </pre>
 *
 * Rank 0 prints {@code result WAY BYTES MICROS,MICROS,...} for each measurement. MPJ Express has no collective that does not block, so that
 * lists go {@code in-turn} only, and none in place, so that all-reduce has an output.
 */
public final class PeerBench {

    private static final int FIRST_ROUNDS = 3;
    private static final int WARM_UPS = 4;
    private static final int MOST_ROUNDS = 20_000;

    private final Intracomm world = MPI.COMM_WORLD;
    private final int ranks = world.Size();
    private final int rank = world.Rank();
    private final int batches;
    private final double batchSeconds;
    private double warmUpSeconds;

    private PeerBench(int batches, double batchSeconds, double warmUpSeconds) {
        this.batches = batches;
        this.batchSeconds = batchSeconds;
        this.warmUpSeconds = warmUpSeconds;
    }

    public static void main(String[] arguments) throws Exception {
        String[] given = MPI.Init(arguments);
        PeerBench bench =
                new PeerBench(Integer.parseInt(given[1]), Double.parseDouble(given[2]), Double.parseDouble(given[3]));
        if (given[0].equals("list")) {
            bench.measureList(Path.of(given[4].substring(1)));
        } else {
            for (String size : given[4].split(",")) {
                int bytes = Integer.parseInt(size);
                bench.measure("call", bytes, bench.round(given[0], bytes / 4));
            }
        }
        MPI.Finalize();
    }

    private Runnable round(String op, int elements) {
        float[] in = ones(elements);
        float[] out = ones(elements);
        int part = elements / ranks;
        int[] parts = new int[ranks];
        Arrays.fill(parts, part);
        return switch (op) {
            case "all-reduce" -> () -> world.Allreduce(in, 0, out, 0, elements, MPI.FLOAT, MPI.SUM);
            case "reduce" -> () -> world.Reduce(in, 0, out, 0, elements, MPI.FLOAT, MPI.SUM, 0);
            case "broadcast" -> () -> world.Bcast(in, 0, elements, MPI.FLOAT, 0);
            case "all-gather" -> () -> world.Allgather(in, 0, part, MPI.FLOAT, out, 0, part, MPI.FLOAT);
            case "reduce-scatter" -> () -> world.Reduce_scatter(in, 0, out, 0, parts, MPI.FLOAT, MPI.SUM);
            case "all-to-all" -> () -> world.Alltoall(in, 0, part, MPI.FLOAT, out, 0, part, MPI.FLOAT);
            case "gather" -> () -> world.Gather(in, 0, part, MPI.FLOAT, out, 0, part, MPI.FLOAT, 0);
            case "scatter" -> () -> world.Scatter(in, 0, part, MPI.FLOAT, out, 0, part, MPI.FLOAT, 0);
            case "send-receive" -> () -> sendReceive(in, out, elements);
            case "barrier" -> world::Barrier;
            default -> throw new IllegalArgumentException("no such operation: " + op);
        };
    }

    private void sendReceive(float[] in, float[] out, int elements) {
        int next = (rank + 1) % ranks;
        int before = (rank + ranks - 1) % ranks;
        world.Sendrecv(in, 0, elements, MPI.FLOAT, next, 0, out, 0, elements, MPI.FLOAT, before, 0);
    }

    private void measureList(Path file) throws Exception {
        List<float[]> in = new ArrayList<>();
        List<float[]> out = new ArrayList<>();
        long bytes = 0;
        for (String line : Files.readAllLines(file)) {
            if (!line.isBlank()) {
                int count = Integer.parseInt(line.strip());
                in.add(ones(count));
                out.add(ones(count));
                bytes += 4L * count;
            }
        }
        measure("in-turn", bytes, () -> {
            for (int i = 0; i < in.size(); i++) {
                world.Allreduce(in.get(i), 0, out.get(i), 0, in.get(i).length, MPI.FLOAT, MPI.SUM);
            }
        });
    }

    private static float[] ones(int elements) {
        float[] values = new float[elements];
        Arrays.fill(values, 1);
        return values;
    }

    private void measure(String way, long bytes, Runnable round) {
        double one = secondsOf(round, FIRST_ROUNDS) / FIRST_ROUNDS;
        int passes = WARM_UPS + (int) (warmUpSeconds / batchSeconds);
        for (int pass = 0; pass < passes; pass++) {
            int rounds = roundsInBatch(one);
            one = secondsOf(round, rounds) / rounds;
        }
        // Only the first measurement compiles what all of them run.
        warmUpSeconds = 0;
        int rounds = roundsInBatch(one);
        StringBuilder line = new StringBuilder();
        for (int batch = 0; batch < batches; batch++) {
            line.append(batch == 0 ? "" : ",")
                    .append(String.format(Locale.ROOT, "%.4f", secondsOf(round, rounds) / rounds * 1e6));
        }
        if (rank == 0) {
            System.out.println("result " + way + " " + bytes + " " + line);
        }
    }

    private double secondsOf(Runnable round, int rounds) {
        world.Barrier();
        long start = System.nanoTime();
        for (int i = 0; i < rounds; i++) {
            round.run();
        }
        return (System.nanoTime() - start) / 1e9;
    }

    /** Rank 0 decides, so that all ranks make the same calls. */
    private int roundsInBatch(double secondsOfOne) {
        int[] rounds = {Math.clamp((long) (batchSeconds / secondsOfOne), 1, MOST_ROUNDS)};
        world.Bcast(rounds, 0, 1, MPI.INT, 0);
        return rounds[0];
    }
}
