package io.reactivecomm.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.CommConfig;
import io.reactivecomm.DType;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.timing.CommsLogger;
import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** A program that has no Micrometer on its class path, with all else that it uses loaded anew for it. */
class WithoutMicrometerTest {

    /** Makes a world as the environment says, and calls with observers. */
    public static final class Program implements Supplier<Long> {

        @Override
        public Long get() {
            CommConfig config =
                    CommConfig.fromEnvironment(Map.of("RANK", "0", "WORLD_SIZE", "1", "RCOMM_COMMS_LOG", "on"));
            try (LocalWorld world = ReactiveComm.local(2, config);
                    Tensor one = Tensor.allocate(DType.FLOAT32, 1);
                    Tensor other = Tensor.allocate(DType.FLOAT32, 1)) {
                Flux.fromIterable(world.groups())
                        .flatMap(group -> group.allReduce(group.rank() == 0 ? one : other, ReduceOp.SUM))
                        .blockLast();
            }
            return CommsLogger.in(config)
                    .orElseThrow()
                    .summary()
                    .rows()
                    .getFirst()
                    .count();
        }
    }

    private static URL[] withoutMicrometer() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !entry.contains("micrometer"))
                .map(WithoutMicrometerTest::url)
                .toArray(URL[]::new);
    }

    private static URL url(String entry) {
        try {
            return Path.of(entry).toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException(entry, e);
        }
    }

    @Test
    void program_runs() throws Exception {
        try (URLClassLoader apart = new URLClassLoader(withoutMicrometer(), ClassLoader.getPlatformClassLoader())) {
            Class<?> metrics = apart.loadClass(CommMetrics.class.getName());
            assertThatThrownBy(metrics::getMethods).as("Micrometer is hidden").isInstanceOf(NoClassDefFoundError.class);
            Supplier<?> program = (Supplier<?>)
                    apart.loadClass(Program.class.getName()).getConstructor().newInstance();
            assertThat(program.get()).isEqualTo(2L);
        }
    }
}
