package io.reactivecomm.samples.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import org.apache.spark.ml.classification.LogisticRegressionModel;
import org.apache.spark.ml.functions;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The solution of the sample, compared with MLlib's. */
@Timeout(120)
class LogisticRegressionTest {

    private static final int WIDTH = 8;

    private static SparkSession session;

    @BeforeAll
    static void open() {
        session = SparkSession.builder()
                .appName("test")
                .master("local[2]")
                .config("spark.ui.enabled", false)
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .getOrCreate();
    }

    @AfterAll
    static void close() {
        session.stop();
    }

    private static double[] solutionOfMLlib(Dataset<Row> rows) {
        LogisticRegressionModel model = new org.apache.spark.ml.classification.LogisticRegression()
                .setRegParam(LogisticRegression.penalty())
                .setStandardization(false)
                .setTol(1e-13)
                .setMaxIter(500)
                .fit(rows.withColumn("features", functions.array_to_vector(rows.col("features"))));
        double[] weights = Arrays.copyOf(model.coefficients().toArray(), WIDTH + 1);
        weights[WIDTH] = model.intercept();
        return weights;
    }

    @Test
    void gradientAtTheSolutionOfMLlib_isZero_andOurSolutionIsTheSame() {
        Dataset<Row> rows = LogisticRegression.madeUpRows(session, 2000, WIDTH).cache();
        double[] theirs = solutionOfMLlib(rows);
        double[] there = LogisticRegression.evaluate(rows, theirs, 2);
        assertThat(Arrays.copyOfRange(there, 1, there.length))
                .as("the gradient at MLlib's solution")
                .containsExactly(new double[WIDTH + 1], within(1e-6));

        List<Lbfgs.Minimum> ours = LogisticRegression.train(rows, WIDTH, 2);
        assertThat(ours.get(1).weights())
                .as("weights of rank 1")
                .containsExactly(ours.get(0).weights());
        assertThat(ours.getFirst().weights()).containsExactly(theirs, within(1e-5));
        assertThat(ours.getFirst().largestSlope()).isLessThan(1e-7);
        assertThat(ours.getFirst().value()).isEqualTo(there[0], within(1e-9));
    }
}
