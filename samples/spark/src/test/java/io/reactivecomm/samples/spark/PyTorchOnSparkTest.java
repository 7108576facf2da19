package io.reactivecomm.samples.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.pytorch.DistributedDataParallel;
import io.reactivecomm.pytorch.TorchNatives;
import io.reactivecomm.spark.Batches;
import io.reactivecomm.spark.SparkRank;
import io.reactivecomm.spark.SparkWorld;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.bytedeco.pytorch.LinearImpl;
import org.bytedeco.pytorch.Module;
import org.bytedeco.pytorch.SGD;
import org.bytedeco.pytorch.SGDOptions;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A model of PyTorch, trained by both integrations: Spark has the rows and the ranks, and gradients are averaged over the ranks. */
@Tag("thorough")
@Timeout(240)
class PyTorchOnSparkTest {

    private static final int ROWS = 2048;
    private static final int BATCH = 32;

    private static final class Line extends Module {

        private final LinearImpl only = register_module("only", new LinearImpl(2, 1));

        private Tensor forward(Tensor input) {
            return only.forward(input);
        }
    }

    /** The weights of a rank after its last batch. */
    private record Fitted(float first, float second, float bias) implements Serializable {}

    private static Dataset<Row> rows(SparkSession session) {
        Random random = new Random(7);
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < ROWS; i++) {
            double a = random.nextGaussian();
            double b = random.nextGaussian();
            rows.add(RowFactory.create(a, b, 3 * a - 2 * b + 0.5));
        }
        StructType schema = new StructType()
                .add("a", DataTypes.DoubleType)
                .add("b", DataTypes.DoubleType)
                .add("target", DataTypes.DoubleType);
        // As many rows on each rank: a step needs all ranks.
        return session.createDataFrame(
                JavaSparkContext.fromSparkContext(session.sparkContext()).parallelize(rows, 2), schema);
    }

    private static Fitted train(SparkRank rank, Iterator<Row> partition) {
        TorchNatives.load();
        Line line = new Line();
        SGD optimizer = new SGD(line.parameters(), new SGDOptions(0.1));
        try (DistributedDataParallel ddp = DistributedDataParallel.of(line, rank.group())) {
            Iterator<io.reactivecomm.Tensor> batches = Batches.of(partition, List.of("a", "b", "target"), BATCH);
            while (batches.hasNext()) {
                try (io.reactivecomm.Tensor batch = batches.next()) {
                    Tensor all = Tensor.create(batch.toFloatArray(), batch.shape());
                    Tensor input = all.narrow(1, 0, 2);
                    Tensor target = all.narrow(1, 2, 1);
                    optimizer.zero_grad();
                    ddp.step(() -> torch.mse_loss(line.forward(input), target)).block();
                    optimizer.step();
                }
            }
        }
        Tensor weight = line.only.weight().reshape(2);
        return new Fitted(
                weight.narrow(0, 0, 1).item_float(),
                weight.narrow(0, 1, 1).item_float(),
                line.only.bias().item_float());
    }

    @Test
    void line_isFittedOnAllRanksAlike() throws IOException {
        try (SparkSession session = SparkSession.builder()
                .appName("test")
                .master("local[2]")
                .config("spark.ui.enabled", false)
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .getOrCreate()) {
            List<Fitted> fitted = SparkWorld.on(rows(session)).ranks(2).run(PyTorchOnSparkTest::train);

            assertThat(fitted.get(1)).isEqualTo(fitted.get(0));
            assertThat(fitted.get(0).first()).isBetween(2.95f, 3.05f);
            assertThat(fitted.get(0).second()).isBetween(-2.05f, -1.95f);
            assertThat(fitted.get(0).bias()).isBetween(0.45f, 0.55f);
        }
    }
}
