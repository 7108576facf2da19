package io.reactivecomm.spark;

import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.SparkSession;

/** A driver of a world of two ranks, for {@link StandaloneTest}. Its arguments are the master, whether to trust Spark's RPC, and a token if executors have one. */
final class TwoHosts {

    private TwoHosts() {}

    private record Note(long sum, String network) implements Serializable {}

    public static void main(String[] args) {
        SparkSession.Builder builder = SparkHome.cluster(args[0]);
        if (args.length > 2) {
            builder.config("spark.executorEnv.RCOMM_TOKEN", args[2]);
        }
        SparkSession session = builder.config("spark.driver.host", "10.79.0.1")
                .config("spark.driver.bindAddress", "10.79.0.1")
                .getOrCreate();
        try {
            SparkWorld<Integer> world = SparkWorld.ranks(session.sparkContext(), 2);
            List<Note> notes = (Boolean.parseBoolean(args[1]) ? world.trustSparkRpc() : world)
                    .run((rank, partition) -> {
                        try (Tensor tensor = Tensor.of(new long[] {1L << rank.partition()}, 1)) {
                            rank.group().allReduce(tensor, ReduceOp.SUM).block();
                            return new Note(
                                    tensor.toLongArray()[0],
                                    Files.readSymbolicLink(Path.of("/proc/self/ns/net"))
                                            .toString());
                        }
                    });
            System.out.println("sums=" + notes.stream().map(Note::sum).toList() + " networks="
                    + notes.stream().map(Note::network).distinct().count());
        } catch (SparkRankException e) {
            System.out.println(e.getMessage());
        } finally {
            session.stop();
        }
    }
}
