package io.reactivecomm.rcomm;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.Admission.Encryption;
import io.reactivecomm.CommConfig;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.spi.rendezvous.HostedStore;
import io.reactivecomm.spi.rendezvous.StoreHost;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code rcomm top} beside jobs of other processes. */
@Timeout(120)
class RcommTopProcessTest {

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String TOKEN = "watched by a test";

    @TempDir
    private Path folder;

    private static HostedStore store() {
        StoreHost host = ServiceLoader.load(StoreHost.class).findFirst().orElseThrow();
        return Objects.requireNonNull(
                host.start("127.0.0.1", 0, TOKEN, Encryption.BETWEEN_HOSTS).block(LIMIT));
    }

    private static CommConfig config(HostedStore store, int rank) {
        return CommConfig.of(rank, 3, "127.0.0.1", store.port())
                .withStoreHosted(true)
                .withTransport("tcp")
                .withToken(TOKEN);
    }

    private static List<ProcessGroup> connect(HostedStore store) {
        return Objects.requireNonNull(Flux.range(0, 3)
                .flatMap(rank -> ReactiveComm.connect(config(store, rank)), 3)
                .collectSortedList((one, other) -> Integer.compare(one.rank(), other.rank()))
                .block(LIMIT));
    }

    /** A job that hangs, which nobody watched when it began to. */
    @Test
    void top_ofAJobWithALateRank_saysWhoIsLate() throws Exception {
        try (HostedStore store = store()) {
            List<ProcessGroup> ranks = connect(store);
            Tensor tensor = Tensor.of(new float[1000]);
            List<CompletableFuture<Work>> early = ranks.subList(0, 2).stream()
                    .map(group -> group.named("layer1")
                            .allReduce(Tensor.of(new float[1000]), ReduceOp.SUM)
                            .toFuture())
                    .toList();
            String address = "127.0.0.1:" + store.port();
            RcommProcess shown =
                    RcommProcess.run(folder, Map.of("RCOMM_TOKEN", TOKEN), "top", "--once", "--every=0.2", address);
            assertThat(shown.exitCode()).as(shown.lines().toString()).isZero();
            assertThat(shown.lines().getFirst()).startsWith("job at " + address + ", 3 ranks, ");
            assertThat(shown.lines()).anyMatch(line -> line.startsWith("    2 "));
            assertThat(shown.lines())
                    .anyMatch(line -> line.startsWith(
                            "ranks 0, 1 wait for rank 2, which has not made the call: all-reduce layer1#0"));

            // The token is found where the store's process has left it.
            RcommCalls json = new RcommCalls();
            assertThat(json.run("top", "--once", "--json", "--every=0.2", address))
                    .as(json.err())
                    .isZero();
            JsonNode job = JsonMapper.shared().readTree(json.out());
            assertThat(job.get("late").get(0).get("late").get(0).asInt()).isEqualTo(2);
            assertThat(job.get("ranks").get(2).get("state").asString()).isEqualTo("PUBLISHING");

            RcommProcess stranger =
                    RcommProcess.run(folder, Map.of("RCOMM_TOKEN", "another"), "top", "--once", address);
            assertThat(stranger.exitCode()).isEqualTo(1);
            assertThat(String.join("\n", stranger.lines()))
                    .contains("rcomm top: not admitted to watch the job, the token differs");

            ranks.get(2).named("layer1").allReduce(tensor, ReduceOp.SUM).block(LIMIT);
            early.forEach(CompletableFuture::join);
            ranks.forEach(ProcessGroup::close);
        }
    }

    @Test
    void top_ofNoJob_saysSo() {
        RcommCalls none = new RcommCalls();
        try (HostedStore store = store()) {
            int port = store.port();
            store.close();
            assertThat(none.run("top", "--once", "127.0.0.1:" + port)).isEqualTo(1);
        }
        assertThat(none.err().lines())
                .singleElement()
                .asString()
                .contains("cannot reach the job's store to watch it", "check that the job runs");
    }
}
