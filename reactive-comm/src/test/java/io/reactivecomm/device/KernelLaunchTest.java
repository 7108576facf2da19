package io.reactivecomm.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.Test;

class KernelLaunchTest {

    private static final DeviceKernel KERNEL = new DeviceKernel("code", "kernel");

    @Test
    void arguments_areLaidOutAsCDoes() {
        byte[] packed = new KernelLaunch(KERNEL, 1, 1, List.of(1, 2L, 3f, 4.0, 5)).packed();
        ByteBuffer bytes = ByteBuffer.wrap(packed).order(ByteOrder.nativeOrder());
        assertThat(packed).hasSize(40);
        assertThat(bytes.getInt(0)).isEqualTo(1);
        assertThat(bytes.getLong(8)).isEqualTo(2);
        assertThat(bytes.getFloat(16)).isEqualTo(3);
        assertThat(bytes.getDouble(24)).isEqualTo(4);
        assertThat(bytes.getInt(32)).isEqualTo(5);
    }

    @Test
    void structureOfNarrowFields_hasNoPadding() {
        assertThat(new KernelLaunch(KERNEL, 1, 1, List.of(1, 2f, 3)).packed()).hasSize(12);
        assertThat(new KernelLaunch(KERNEL, 1, 1, List.of()).packed()).isEmpty();
    }

    @Test
    void codeThatIsNotThere_isSaid() {
        assertThat(DeviceKernel.text(Tensor.class, "kernel/device.h")).contains("#define KERNEL");
        assertThatThrownBy(() -> DeviceKernel.text(DeviceKernel.class, "nothing.ptx"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("resource=nothing.ptx, package=io.reactivecomm");
    }

    @Test
    void gridsAndArgumentsThatNoDeviceTakes_areRefused() {
        assertThatThrownBy(() -> new KernelLaunch(KERNEL, 0, 1, List.of()))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("blocks=0");
        assertThatThrownBy(() -> new KernelLaunch(KERNEL, 1, 1025, List.of()))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("threads=1025");
        assertThatThrownBy(() -> new KernelLaunch(KERNEL, 1L << 31, 1, List.of()))
                .isInstanceOf(InvalidCallException.class);
        assertThatThrownBy(() -> new KernelLaunch(KERNEL, 1, 1, List.of("text")))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("argument=text");
        try (Tensor host = Tensor.of(new float[] {1})) {
            assertThatThrownBy(() -> new KernelLaunch(KERNEL, 1, 1, List.of(host)))
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContaining("no memory of the host");
        }
    }
}
