package io.reactivecomm.samples.spark;

import io.reactivecomm.spark.SparkWorld;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * Logistic regression on a DataFrame: L-BFGS on every rank, with one all-reduce per evaluation. For {@code spark-submit}; docs/spark.md shows the command.
 *
 * <p>Arguments: the number of ranks, 2 by default.
 */
public final class LogisticRegression {

    private static final double PENALTY = 0.01;
    private static final double TOLERANCE = 1e-8;
    private static final int ROWS = 10_000;
    private static final int WIDTH = 20;
    private static final long SEED = 54;

    private LogisticRegression() {}

    public static void main(String[] args) {
        int ranks = args.length == 0 ? 2 : Integer.parseInt(args[0]);
        SparkSession session =
                SparkSession.builder().appName("logistic regression").getOrCreate();
        try {
            List<Lbfgs.Minimum> minima = train(madeUpRows(session, ROWS, WIDTH), WIDTH, ranks);
            Lbfgs.Minimum minimum = minima.getFirst();
            System.out.println("ranks=" + minima.size() + ", steps=" + minimum.steps() + ", loss=" + minimum.value()
                    + ", largest slope=" + minimum.largestSlope());
        } finally {
            session.stop();
        }
    }

    /** {@return the minimum as each rank has it} All are equal. */
    static List<Lbfgs.Minimum> train(Dataset<Row> rows, int width, int ranks) {
        return SparkWorld.on(rows)
                .ranks(ranks)
                .run((rank, partition) -> Lbfgs.minimize(
                        LogisticLoss.of(rank.group(), partition, PENALTY), new double[width + 1], TOLERANCE));
    }

    /** {@return the loss and its gradient at these weights, over all rows} */
    static double[] evaluate(Dataset<Row> rows, double[] weights, int ranks) {
        return SparkWorld.on(rows)
                .ranks(ranks)
                .run((rank, partition) ->
                        LogisticLoss.of(rank.group(), partition, PENALTY).evaluate(weights))
                .getFirst();
    }

    static double penalty() {
        return PENALTY;
    }

    /** {@return rows of normally distributed features, and labels that follow a hidden model} */
    static Dataset<Row> madeUpRows(SparkSession session, int count, int width) {
        Random random = new Random(SEED);
        double[] hidden = random.doubles(width, -2, 2).toArray();
        List<Row> rows = new ArrayList<>();
        for (int row = 0; row < count; row++) {
            Double[] features = new Double[width];
            double margin = 0.5;
            for (int i = 0; i < width; i++) {
                features[i] = random.nextGaussian();
                margin += hidden[i] * features[i];
            }
            double probability = 1 / (1 + Math.exp(-margin));
            rows.add(RowFactory.create(features, random.nextDouble() < probability ? 1.0 : 0.0));
        }
        StructType schema = new StructType()
                .add("features", DataTypes.createArrayType(DataTypes.DoubleType))
                .add("label", DataTypes.DoubleType);
        return session.createDataFrame(rows, schema);
    }
}
