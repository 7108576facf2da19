package io.reactivecomm.nccl.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.Handle;
import io.reactivecomm.device.Move;
import io.reactivecomm.kernel.HostMoves;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Moves between any two memories: what comes of them is what the host makes of its own. */
class CudaMoveTest extends CudaCase {

    private static final List<Device> DEVICES = List.of(Device.CPU, gpu(0), gpu(1));
    private static final long[] COUNTS = {0, 1, 8_193};

    static Stream<DType> types() {
        return Stream.of(DType.values());
    }

    private static boolean isConvertible(DType from, DType to) {
        return from == to || from.family() == DType.Family.FLOAT && to.family() == DType.Family.FLOAT;
    }

    @ParameterizedTest
    @MethodSource("types")
    void move_betweenAnyTwoMemories_isThatOfTheHost(DType type) {
        for (long count : COUNTS) {
            requireAsOnHost(type, type, count, 1);
        }
        for (DType to : DType.values()) {
            if (type.family() == DType.Family.FLOAT && isConvertible(type, to)) {
                requireAsOnHost(type, to, 1_025, 0.3);
            }
        }
    }

    /** By three lists of moves: to each memory, from each to each, and back. */
    private void requireAsOnHost(DType from, DType to, long count, double factor) {
        Tensor given = filled(from, count);
        Tensor expected = zeroed(Device.CPU, to, count);
        HostMoves.run(List.of(Move.scaled(given, expected, factor)));
        List<Move> first = new ArrayList<>();
        List<Move> second = new ArrayList<>();
        List<Move> third = new ArrayList<>();
        for (int way = 1; way < 9; way++) {
            Tensor there = zeroed(DEVICES.get(way / 3), from, count);
            Tensor result = zeroed(DEVICES.get(way % 3), to, count);
            first.add(Move.copy(given, there));
            second.add(Move.scaled(there, result, factor));
            third.add(Move.copy(result, zeroed(Device.CPU, to, count)));
        }
        List.of(first, second, third).forEach(this::movedAnywhere);
        for (int way = 1; way < 9; way++) {
            assertThat(bytes(third.get(way - 1).to()))
                    .as("%s to %s, way %s, count %s, factor %s", from, to, way, count, factor)
                    .isEqualTo(bytes(expected));
        }
    }

    static Stream<Arguments> ways() {
        return DEVICES.stream().flatMap(from -> DEVICES.stream().map(to -> Arguments.of(from, to)));
    }

    /** More than all blocks hold at once, and no multiple of one. */
    @ParameterizedTest
    @MethodSource("ways")
    void move_ofMoreThanAllBlocks_goesInPieces(Device source, Device target) {
        long count = 5L * BLOCK_BYTES / Float.BYTES + 13;
        Tensor given = filled(DType.FLOAT32, count);
        Tensor there = zeroed(source, DType.FLOAT32, count);
        Tensor result = zeroed(target, DType.FLOAT32, count);
        Tensor back = zeroed(Device.CPU, DType.FLOAT32, count);
        movedAnywhere(List.of(Move.copy(given, there)));
        movedAnywhere(List.of(Move.scaled(there, result, 0.5)));
        movedAnywhere(List.of(Move.copy(result, back)));
        Tensor expected = zeroed(Device.CPU, DType.FLOAT32, count);
        HostMoves.run(List.of(Move.scaled(given, expected, 0.5)));
        assertThat(back.segment().mismatch(expected.segment())).isEqualTo(-1);
    }

    @Test
    void zeros_fillTheirTensor_andNothingBeside() {
        Tensor whole = zeroed(gpu(1), DType.INT32, 100);
        moved(Move.copy(filled(DType.INT32, 100), whole));
        int[] expected = whole.toIntArray();
        Arrays.fill(expected, 13, 57, 0);
        moved(Move.zeros(whole.slice(13, 44)));
        assertThat(whole.toIntArray()).isEqualTo(expected);
    }

    @Test
    void list_ofManyUnevenMovesToTwoDevices_isDoneAsOne() {
        List<Tensor> wholes = List.of(zeroed(gpu(0), DType.BFLOAT16, 5_050), zeroed(gpu(1), DType.BFLOAT16, 5_050));
        List<Move> moves = new ArrayList<>();
        List<Tensor> parts = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            Tensor part = filled(DType.FLOAT32, i + 1);
            parts.add(part);
            moves.add(Move.scaled(part, wholes.get(i % 2).slice((long) i * (i + 1) / 2, i + 1), 0.5));
        }
        Handle handle = memory.move(moves);
        handle.released().block(LIMIT);
        handle.completed().block(LIMIT);
        for (int i = 0; i < 100; i++) {
            Tensor expected = zeroed(Device.CPU, DType.BFLOAT16, i + 1);
            HostMoves.run(List.of(Move.scaled(parts.get(i), expected, 0.5)));
            assertThat(bytes(wholes.get(i % 2).slice((long) i * (i + 1) / 2, i + 1)))
                    .isEqualTo(bytes(expected));
        }
        assertThat(memory.move(List.of())).isSameAs(Handle.DONE);
    }

    @ParameterizedTest
    @ValueSource(longs = {1_001, 40_000})
    void move_withinItsOwnMemory_scalesInPlace(long count) {
        Tensor tensor = zeroed(gpu(0), DType.FLOAT64, count);
        Tensor given = filled(DType.FLOAT64, count);
        moved(Move.copy(given, tensor));
        moved(Move.scaled(tensor, tensor, 3));
        assertThat(tensor.toDoubleArray())
                .isEqualTo(Arrays.stream(given.toDoubleArray())
                        .map(each -> each * 3)
                        .toArray());
    }
}
