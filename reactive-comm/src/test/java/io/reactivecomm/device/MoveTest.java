package io.reactivecomm.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MoveTest {

    private final Tensor three = Tensor.allocate(DType.FLOAT32, 3);
    private final Tensor square = Tensor.allocate(DType.FLOAT16, 1, 3);
    private final Tensor four = Tensor.allocate(DType.FLOAT32, 4);
    private final Tensor integers = Tensor.allocate(DType.INT32, 3);
    private final Tensor small = Tensor.allocate(DType.FLOAT8_E4M3, 3);

    @AfterEach
    void closeTensors() {
        three.close();
        square.close();
        four.close();
        integers.close();
        small.close();
    }

    @Test
    void move_ofAsManyElements_mayChangeShapeAndType() {
        assertThat(Move.copy(three, square).factor()).isEqualTo(1);
        assertThat(Move.scaled(square, three, 0.5).factor()).isEqualTo(0.5);
        assertThat(Move.copy(integers, integers).from()).isSameAs(integers);
        assertThat(Move.zeros(small).from()).isNull();
    }

    @Test
    void move_ofOtherCounts_isRefused() {
        assertThatThrownBy(() -> Move.copy(three, four))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContainingAll("from=FLOAT32[3]", "to=FLOAT32[4]");
    }

    @Test
    void move_thatNoKernelMakes_isRefused() {
        assertThatThrownBy(() -> Move.copy(integers, three))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("cannot become each other");
        assertThatThrownBy(() -> Move.scaled(integers, integers, 2))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("factor=2.0");
        assertThatThrownBy(() -> Move.copy(small, three))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("FLOAT8_E4M3");
    }

    @Test
    void view_ofTheSameBytes_sharesThem_andAnotherSizeIsRefused() {
        try (Tensor whole = Tensor.of(new float[] {1, 2, 3, 4})) {
            Tensor bytes = whole.view(DType.UINT8, 16);
            Tensor square = bytes.slice(4, 8).view(DType.FLOAT32, 2, 1);
            assertThat(square.shape()).containsExactly(2, 1);
            assertThat(square.toFloatArray()).containsExactly(2, 3);
            assertThat(square.address()).isEqualTo(whole.address() + 4);
            square.segment().fill((byte) 0);
            assertThat(whole.toFloatArray()).containsExactly(1, 0, 0, 4);
            assertThatThrownBy(() -> whole.view(DType.FLOAT64, 3))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("16 bytes");
        }
    }

    @Test
    void movesAndDevices_thatLackSomething_sayWhat() {
        assertThatThrownBy(() -> Move.zeros(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("no tensor to write");
        assertThatThrownBy(() -> Move.copy(three, null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContainingAll("from=FLOAT32[3]", "; give one");
        assertThatThrownBy(() -> Move.copy(null, three))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("Move.zeros");
        assertThatThrownBy(() -> Move.scaled(null, three, 2))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("no tensor to read");
        assertThatThrownBy(() -> new Device(null, 3))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("no kind: index=3; name it");
        assertThatThrownBy(() -> new Device(" ", 0))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("name a kind");
        assertThatThrownBy(() -> new Device("cuda", -1))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("index=-1");
    }

    @Test
    void byteSize_ofAShape_isThatOfItsTensor_orRefused() {
        assertThat(DeviceMemory.byteSize(DType.FLOAT16, 3, 5)).isEqualTo(30);
        assertThat(DeviceMemory.byteSize(DType.FLOAT16)).isEqualTo(2);
        assertThatThrownBy(() -> DeviceMemory.byteSize(DType.INT64, 1L << 60))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("too large");
        assertThatThrownBy(() -> DeviceMemory.byteSize(DType.INT8, -1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("shape=[-1]");
    }
}
