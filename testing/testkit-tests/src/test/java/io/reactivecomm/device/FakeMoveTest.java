package io.reactivecomm.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.kernel.HostMoves;
import io.reactivecomm.testkit.Inputs;
import io.reactivecomm.testkit.LeakCheck;
import io.reactivecomm.testkit.device.FakeMemory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Moves between any two memories: what comes of them is what the host makes of its own. */
class FakeMoveTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final List<Device> DEVICES = List.of(Device.CPU, FakeMemory.device(0), FakeMemory.device(1));
    private static final long[] COUNTS = {0, 1, 7, 8_193};
    private static final double[] FACTORS = {1, 0.3, -2};

    private final List<Tensor> open = new ArrayList<>();
    private final int heldBefore = FakeMemory.held();

    @AfterEach
    void nothingIsLeft() {
        open.forEach(Tensor::close);
        assertThat(FakeMemory.held()).isEqualTo(heldBefore);
    }

    @AfterAll
    static void requireTensorsClosed() {
        LeakCheck.collectAndRequireTensorsClosed();
    }

    private Tensor kept(Tensor tensor) {
        open.add(tensor);
        return tensor;
    }

    private Tensor zeroed(Device device, DType type, long count) {
        return kept(
                device.equals(Device.CPU)
                        ? Tensor.allocate(type, count)
                        : FakeMemory.JVM.allocate(device, type, count));
    }

    private Tensor filled(DType type, long count) {
        Tensor tensor = zeroed(Device.CPU, type, count);
        Inputs.fill(tensor.segment(), type, 3, 1);
        return tensor;
    }

    private static void moved(Move... moves) {
        FakeMemory.JVM.move(List.of(moves)).completed().block(LIMIT);
    }

    private static byte[] bytes(Tensor tensor) {
        return tensor.view(DType.UINT8, tensor.byteSize()).toByteArray();
    }

    static Stream<Arguments> types() {
        return Stream.of(DType.values())
                .flatMap(from -> Stream.of(DType.values())
                        .filter(to -> isConvertible(from, to))
                        .map(to -> Arguments.of(from, to)));
    }

    private static boolean isConvertible(DType from, DType to) {
        return from == to || from.family() == DType.Family.FLOAT && to.family() == DType.Family.FLOAT;
    }

    @ParameterizedTest
    @MethodSource("types")
    void move_betweenAnyTwoMemories_isThatOfTheHost(DType from, DType to) {
        for (long count : COUNTS) {
            for (double factor : from.family() == DType.Family.FLOAT ? FACTORS : new double[] {1}) {
                Tensor given = filled(from, count);
                Tensor expected = zeroed(Device.CPU, to, count);
                HostMoves.run(List.of(Move.scaled(given, expected, factor)));
                for (Device source : DEVICES) {
                    for (Device target : DEVICES) {
                        Tensor there = zeroed(source, from, count);
                        Tensor result = zeroed(target, to, count);
                        moved(Move.copy(given, there));
                        moved(Move.scaled(there, result, factor));
                        assertThat(bytes(result))
                                .as("%s to %s, count %s, factor %s", source, target, count, factor)
                                .isEqualTo(bytes(expected));
                    }
                }
            }
        }
    }

    @Test
    void zeros_fillTheirTensor_andNothingBeside() {
        Tensor whole = zeroed(FakeMemory.device(2), DType.INT32, 100);
        moved(Move.copy(filled(DType.INT32, 100), whole));
        int[] expected = whole.toIntArray();
        Arrays.fill(expected, 13, 57, 0);
        moved(Move.zeros(whole.slice(13, 44)));
        assertThat(whole.toIntArray()).isEqualTo(expected);
    }

    @Test
    void list_ofManyUnevenMoves_isDoneAsOne() {
        Tensor whole = zeroed(FakeMemory.device(0), DType.BFLOAT16, 5_050);
        List<Move> moves = new ArrayList<>();
        List<Tensor> parts = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            Tensor part = filled(DType.FLOAT32, i + 1);
            parts.add(part);
            moves.add(Move.scaled(part, whole.slice((long) i * (i + 1) / 2, i + 1), 0.5));
        }
        moved(moves.toArray(Move[]::new));
        for (int i = 0; i < 100; i++) {
            Tensor expected = zeroed(Device.CPU, DType.BFLOAT16, i + 1);
            HostMoves.run(List.of(Move.scaled(parts.get(i), expected, 0.5)));
            assertThat(bytes(whole.slice((long) i * (i + 1) / 2, i + 1))).isEqualTo(bytes(expected));
        }
    }

    @Test
    void move_withinItsOwnMemory_scalesInPlace() {
        Tensor tensor = zeroed(FakeMemory.device(0), DType.FLOAT64, 1_001);
        Tensor given = filled(DType.FLOAT64, 1_001);
        moved(Move.copy(given, tensor));
        moved(Move.scaled(tensor, tensor, 3));
        assertThat(tensor.toDoubleArray())
                .isEqualTo(Arrays.stream(given.toDoubleArray())
                        .map(each -> each * 3)
                        .toArray());
    }
}
