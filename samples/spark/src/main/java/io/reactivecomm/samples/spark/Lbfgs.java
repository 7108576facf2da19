package io.reactivecomm.samples.spark;

import java.io.Serializable;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;

/**
 * Limited-memory BFGS: minimizes a smooth function with the curvature of its last steps.
 *
 * <p><b>Source.</b> Nocedal and Wright, Numerical Optimization, 2nd edition: algorithms 7.4 (two loops) and 3.1 (backtracking).
 */
final class Lbfgs {

    private static final int HISTORY = 10;
    private static final int MOST_STEPS = 500;
    private static final int MOST_HALVINGS = 40;
    private static final double SUFFICIENT_DECREASE = 1e-4;

    private Lbfgs() {}

    /** A smooth function of weights. */
    @FunctionalInterface
    interface Objective {

        /** {@return the value at these weights, followed by the gradient} */
        double[] evaluate(double[] weights);
    }

    /**
     * The end of a minimization.
     *
     * @param largestSlope the largest absolute element of the gradient
     */
    record Minimum(double[] weights, double value, double largestSlope, int steps) implements Serializable {}

    /** A step and the change of the gradient along it. */
    private record Pair(double[] step, double[] change, double curvature) {}

    /** {@return the weights where no element of the gradient is larger than the tolerance, or the last ones before progress ended} */
    static Minimum minimize(Objective objective, double[] start, double tolerance) {
        double[] weights = start.clone();
        double[] at = objective.evaluate(weights);
        Deque<Pair> pairs = new ArrayDeque<>();
        int steps = 0;
        while (steps < MOST_STEPS && largest(at) > tolerance) {
            double[] direction = direction(at, pairs);
            double slope = -dot(direction, at, 1);
            double length = pairs.isEmpty() ? Math.min(1, 1 / Math.sqrt(-slope)) : 1;
            double[] next = weights;
            double[] after = at;
            for (int halvings = 0; halvings < MOST_HALVINGS; halvings++) {
                next = moved(weights, direction, -length);
                after = objective.evaluate(next);
                if (after[0] <= at[0] + SUFFICIENT_DECREASE * length * slope) {
                    break;
                }
                length /= 2;
            }
            if (after[0] >= at[0]) {
                break;
            }
            remember(pairs, weights, at, next, after);
            weights = next;
            at = after;
            steps++;
        }
        return new Minimum(weights, at[0], largest(at), steps);
    }

    /** {@return the inverse curvature times the gradient: the direction of ascent} */
    private static double[] direction(double[] at, Deque<Pair> pairs) {
        double[] q = new double[at.length - 1];
        System.arraycopy(at, 1, q, 0, q.length);
        double[] factors = new double[pairs.size()];
        int index = 0;
        for (Pair pair : pairs) {
            factors[index] = dot(pair.step, q, 0) / pair.curvature;
            q = moved(q, pair.change, -factors[index++]);
        }
        if (!pairs.isEmpty()) {
            Pair last = pairs.getFirst();
            double scale = last.curvature / dot(last.change, last.change, 0);
            for (int i = 0; i < q.length; i++) {
                q[i] *= scale;
            }
        }
        for (Iterator<Pair> oldest = pairs.descendingIterator(); oldest.hasNext(); ) {
            Pair pair = oldest.next();
            double back = dot(pair.change, q, 0) / pair.curvature;
            q = moved(q, pair.step, factors[--index] - back);
        }
        return q;
    }

    private static void remember(Deque<Pair> pairs, double[] weights, double[] at, double[] next, double[] after) {
        double[] step = moved(next, weights, -1);
        double[] change = new double[step.length];
        for (int i = 0; i < change.length; i++) {
            change[i] = after[1 + i] - at[1 + i];
        }
        double curvature = dot(step, change, 0);
        if (curvature > 0) {
            pairs.addFirst(new Pair(step, change, curvature));
        }
        if (pairs.size() > HISTORY) {
            pairs.removeLast();
        }
    }

    private static double[] moved(double[] from, double[] direction, double length) {
        double[] to = new double[from.length];
        for (int i = 0; i < to.length; i++) {
            to[i] = from[i] + length * direction[i];
        }
        return to;
    }

    private static double dot(double[] a, double[] b, int offset) {
        double sum = 0;
        for (int i = 0; i < a.length; i++) {
            sum += a[i] * b[offset + i];
        }
        return sum;
    }

    private static double largest(double[] at) {
        double largest = 0;
        for (int i = 1; i < at.length; i++) {
            largest = Math.max(largest, Math.abs(at[i]));
        }
        return largest;
    }
}
