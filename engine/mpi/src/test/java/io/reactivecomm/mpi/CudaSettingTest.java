package io.reactivecomm.mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.CommConfig;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.engine.EngineContext;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The choices of engines by which MPI opens the memory of CUDA devices. */
class CudaSettingTest {

    private static CudaSetting of(String backend, Map<String, String> environment) {
        CommConfig config =
                CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT).withBackend(backend);
        Loop none = (Loop) Proxy.newProxyInstance(
                Loop.class.getClassLoader(), new Class<?>[] {Loop.class}, (proxy, method, arguments) -> {
                    throw new UnsupportedOperationException("no engine is opened here");
                });
        try (LocalWorld world = ReactiveComm.local(1)) {
            EngineContext context = new EngineContext(world.groups().getFirst(), config, List.of("host"), none);
            return CudaSetting.of(context, "mpi", environment);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "mpi               | true  | false",
                "cuda:mpi          | true  | true",
                "mpi,cuda:mpi      | true  | true",
                "cpu:links,mpi     | true  | false",
                "cpu:mpi           | false | false",
                "mpi,cuda:nccl     | false | false",
                "cuda:nccl, mpi    | false | false",
                "cpu:mpi,cuda:nccl | false | false",
            })
    void memory_isOpened_onlyIfDevicesAreLeftToTheEngine(String backend, boolean isOpened, boolean isNamed) {
        CudaSetting setting = of(backend, Map.of());
        assertThat(setting.memory() != null).isEqualTo(isOpened);
        assertThat(setting.isNamed()).isEqualTo(isNamed);
        setting.close();
    }

    @Test
    void variable_isReadInAnyCase_andAnotherValueIsAnError() {
        assertThat(of("cpu:mpi", Map.of(CudaSetting.VARIABLE, " OFF ")).isOff()).isTrue();
        assertThatThrownBy(() -> of("cpu:mpi", Map.of(CudaSetting.VARIABLE, "no")))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("RCOMM_MPI_CUDA=no");
    }
}
