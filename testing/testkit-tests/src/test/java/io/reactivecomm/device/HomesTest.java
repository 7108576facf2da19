package io.reactivecomm.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.Tensor;
import io.reactivecomm.testkit.TensorHome;
import io.reactivecomm.testkit.device.DeviceHome;
import io.reactivecomm.testkit.device.FakeHome;
import io.reactivecomm.testkit.device.FakeMemory;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.test.StepVerifier;

/** Contracts require that nobody borrows a tensor: not the home either that has filled it, or read it. */
class HomesTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    static Stream<TensorHome> homes() {
        return Stream.of(FakeHome.ONE, DeviceHome.of(FakeMemory.JVM, FakeMemory.device(0)));
    }

    @ParameterizedTest
    @MethodSource("homes")
    void tensor_isNotBorrowed_whenItsBytesAreThere(TensorHome home) {
        Tensor tensor = home.take(Tensor.of(new float[] {3}), home.device(0));
        StepVerifier.create(home.readLater(tensor))
                .assertNext(bytes -> {
                    assertThat(bytes.mismatch(MemorySegment.ofArray(new float[] {3})))
                            .isEqualTo(-1);
                    assertThat(tensor.released().toFuture()).isDone();
                })
                .expectComplete()
                .verify(LIMIT);
        tensor.close();
    }
}
