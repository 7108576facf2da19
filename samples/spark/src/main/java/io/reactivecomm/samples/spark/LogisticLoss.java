package io.reactivecomm.samples.spark;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.Row;

/**
 * The mean logistic loss over the rows of all ranks, with a penalty of half the squared norm of the coefficients. Each rank computes the part of its own rows; one
 * all-reduce per evaluation adds the parts up, in rank order, so that all ranks get the same bits and take the same step.
 */
final class LogisticLoss implements Lbfgs.Objective {

    private final ProcessGroup group;
    private final double[][] features;
    private final double[] labels;
    private final double penalty;
    private final double totalRows;

    private LogisticLoss(ProcessGroup group, double[][] features, double[] labels, double penalty) {
        this.group = group;
        this.features = features;
        this.labels = labels;
        this.penalty = penalty;
        this.totalRows = sum(new double[] {labels.length})[0];
    }

    /**
     * {@return the loss over these rows, and those of the other ranks}
     *
     * @param rows rows of "features", an array of doubles, and "label", 0 or 1
     */
    static LogisticLoss of(ProcessGroup group, Iterator<Row> rows, double penalty) {
        List<double[]> features = new ArrayList<>();
        List<Double> labels = new ArrayList<>();
        while (rows.hasNext()) {
            Row row = rows.next();
            List<Double> values = row.getList(row.fieldIndex("features"));
            features.add(values.stream().mapToDouble(Double::doubleValue).toArray());
            labels.add(row.getDouble(row.fieldIndex("label")));
        }
        return new LogisticLoss(
                group,
                features.toArray(double[][]::new),
                labels.stream().mapToDouble(Double::doubleValue).toArray(),
                penalty);
    }

    /** {@return the loss, and then its gradient} The last weight is the intercept, which has no penalty. */
    @Override
    public double[] evaluate(double[] weights) {
        int width = weights.length - 1;
        double[] parts = new double[weights.length + 1];
        for (int row = 0; row < labels.length; row++) {
            double[] x = features[row];
            double margin = weights[width];
            for (int i = 0; i < width; i++) {
                margin += weights[i] * x[i];
            }
            // log(1 + e^m) - y m, without overflow
            parts[0] += Math.max(margin, 0) + Math.log1p(Math.exp(-Math.abs(margin))) - labels[row] * margin;
            double slope = 1 / (1 + Math.exp(-margin)) - labels[row];
            for (int i = 0; i < width; i++) {
                parts[1 + i] += slope * x[i];
            }
            parts[1 + width] += slope;
        }
        double[] result = sum(parts);
        for (int i = 0; i < result.length; i++) {
            result[i] /= totalRows;
        }
        for (int i = 0; i < width; i++) {
            result[0] += penalty / 2 * weights[i] * weights[i];
            result[1 + i] += penalty * weights[i];
        }
        return result;
    }

    private double[] sum(double[] own) {
        try (Tensor tensor = Tensor.of(own, own.length)) {
            group.allReduce(tensor, ReduceOp.SUM).block();
            return tensor.toDoubleArray();
        }
    }
}
