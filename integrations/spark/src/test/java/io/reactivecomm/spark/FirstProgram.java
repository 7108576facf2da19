package io.reactivecomm.spark;

import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** The first program of docs/spark.md, which sums the columns of a table over all ranks. */
public final class FirstProgram {

    public static void main(String[] args) {
        SparkSession session = SparkSession.builder().appName("sums").getOrCreate();
        Dataset<Row> rows = session.range(1_000_000).selectExpr("id % 7 AS a", "id % 11 AS b");
        List<float[]> sums = SparkWorld.on(rows).ranks(2).run(FirstProgram::sum);
        System.out.println(sums.getFirst()[0] + " " + sums.getFirst()[1]);
        session.stop();
    }

    static float[] sum(SparkRank rank, Iterator<Row> partition) {
        float[] sums = new float[2];
        Iterator<Tensor> batches = Batches.of(partition, List.of("a", "b"), 1024);
        while (batches.hasNext()) {
            try (Tensor batch = batches.next()) {
                float[] values = batch.toFloatArray();
                for (int i = 0; i < values.length; i++) {
                    sums[i % 2] += values[i];
                }
            }
        }
        try (Tensor tensor = Tensor.of(sums, 2)) {
            rank.group().allReduce(tensor, ReduceOp.SUM).block();
            return tensor.toFloatArray();
        }
    }
}
