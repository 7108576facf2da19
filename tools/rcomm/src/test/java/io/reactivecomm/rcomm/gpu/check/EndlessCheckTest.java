package io.reactivecomm.rcomm.gpu.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A row that does not end, as when a GPU hangs. */
class EndlessCheckTest {

    /** A check that ends when it is told to. */
    private record Waiting(CompletableFuture<Map<String, Object>> end) implements Check {

        @Override
        public String name() {
            return "waiting";
        }

        @Override
        public String claim() {
            return "nothing";
        }

        @Override
        public Map<String, Object> measure(Machine machine) {
            return end.join();
        }
    }

    @Test
    void endlessRow_isAFailure_andNoOtherTouchesTheGpu() {
        CompletableFuture<Map<String, Object>> end = new CompletableFuture<>();
        try (Machine machine = new Machine(CheckSizes.USUAL, Map.of())) {
            CheckRow row = GpuCheck.row(new Waiting(end), machine, Duration.ofMillis(1));
            assertThat(row.text()).startsWith("failed: it does not end: waited=0 s");
            assertThatThrownBy(machine::device)
                    .isInstanceOf(SkippedCheck.class)
                    .hasMessage("a row before does not end");
        } finally {
            end.complete(Map.of());
        }
    }
}
