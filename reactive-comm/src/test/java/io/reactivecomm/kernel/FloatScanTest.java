package io.reactivecomm.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Move;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Scans of floating-point elements, against loops. */
class FloatScanTest {

    private static Tensor tensor(DType type, double[] values) {
        Tensor tensor = Tensor.allocate(type, values.length);
        HostMoves.run(List.of(Move.copy(Tensor.of(values), tensor)));
        return tensor;
    }

    private static double[] values(Tensor tensor) {
        Tensor wide = Tensor.allocate(DType.FLOAT64, tensor.count());
        HostMoves.run(List.of(Move.copy(tensor, wide)));
        return wide.toDoubleArray();
    }

    private static double[] random(int count, long seed) {
        return new SplittableRandom(seed).doubles(count, -3, 3).toArray();
    }

    /** The lanes are those that the class describes, so the sum is equal bit by bit. */
    @ParameterizedTest
    @EnumSource(names = {"FLOAT16", "BFLOAT16", "FLOAT32", "FLOAT64"})
    void squares_addUpInEightLanes(DType type) {
        FloatScan scan = new FloatScan();
        double[] lanes = new double[8];
        double plain = 0;
        for (int count : new int[] {1, 8, 13, 2048, 5001}) {
            Tensor tensor = tensor(type, random(count, count));
            scan.addSquares(tensor);
            double[] values = values(tensor);
            for (int i = 0; i < count; i++) {
                lanes[i % 8] += values[i] * values[i];
                plain += values[i] * values[i];
            }
        }
        double expected =
                ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
        assertThat(scan.squares()).isEqualTo(expected).isCloseTo(plain, within(1e-9 * plain));
    }

    @ParameterizedTest
    @EnumSource(names = {"FLOAT16", "BFLOAT16", "FLOAT32", "FLOAT64"})
    void firstNonFinite_isFoundAtEachPlace(DType type) {
        double[] values = random(5001, 7);
        assertThat(FloatScan.firstNonFinite(tensor(type, values))).isEqualTo(FloatScan.NONE);
        assertThat(FloatScan.firstNonFinite(tensor(type, new double[0]))).isEqualTo(FloatScan.NONE);
        for (double planted : new double[] {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY}) {
            values[5000] = Double.NaN;
            for (int place : new int[] {5000, 4097, 2048, 2047, 8, 0}) {
                values[place] = planted;
                assertThat(FloatScan.firstNonFinite(tensor(type, values))).isEqualTo(place);
            }
            values = random(5001, 7);
        }
    }

    /** The largest numbers and the subnormal ones are finite. */
    @ParameterizedTest
    @ValueSource(doubles = {65504, -65504, 0.0, -0.0, 6e-8})
    void extremes_areFinite(double value) {
        assertThat(FloatScan.firstNonFinite(tensor(DType.FLOAT16, new double[] {value})))
                .isEqualTo(FloatScan.NONE);
        assertThat(FloatScan.firstNonFinite(Tensor.of(new float[] {Float.MAX_VALUE, Float.MIN_VALUE})))
                .isEqualTo(FloatScan.NONE);
        assertThat(FloatScan.firstNonFinite(Tensor.of(new double[] {Double.MAX_VALUE, Double.MIN_VALUE})))
                .isEqualTo(FloatScan.NONE);
    }
}
