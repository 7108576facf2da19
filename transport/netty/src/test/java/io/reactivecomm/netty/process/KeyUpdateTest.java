package io.reactivecomm.netty.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.Admission.Encryption;
import io.reactivecomm.CommConfig;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.netty.NettyStoreHost;
import io.reactivecomm.spi.rendezvous.HostedStore;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.Security;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;

/** Updates of TLS's keys in the middle of payloads. A JVM reads once after how many bytes that happens, so this is a process of its own. */
class KeyUpdateTest {

    private static final String DONE = "the sums are right: ";

    @ParameterizedTest
    @ValueSource(strings = {"1", "3"})
    @Tag("thorough")
    @Timeout(120)
    void keys_thatChangeInTheMiddleOfPayloads_changeNoResult(String lanes) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:TieredStopAtLevel=1",
                        "-Djavax.net.debug=ssl,handshake",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Program.class.getName(),
                        lanes)
                .redirectErrorStream(true)
                .start();
        try {
            process.onExit().orTimeout(100, TimeUnit.SECONDS).whenComplete((ended, late) -> process.destroyForcibly());
            List<String> said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
            assertThat(said.stream()
                            .filter(line -> line.contains("Produced KeyUpdate"))
                            .count())
                    .as("updates")
                    .isGreaterThan(20);
            assertThat(said).contains(DONE + lanes);
        } finally {
            process.destroyForcibly();
        }
    }

    /** Two ranks that reduce 4 MiB, with new keys after each 256 KiB. */
    static final class Program {

        private static final int COUNT = 1 << 20;

        private Program() {}

        public static void main(String[] args) {
            Security.setProperty("jdk.tls.keyLimits", "AES/GCM/NoPadding KeyUpdate 2^18");
            HostedStore store = Objects.requireNonNull(new NettyStoreHost()
                    .start("127.0.0.1", 0, "a token for updates of keys", Encryption.BETWEEN_HOSTS)
                    .block());
            List<ProcessGroup> groups = Objects.requireNonNull(Flux.range(0, 2)
                    .flatMap(rank -> ReactiveComm.connect(CommConfig.of(rank, 2, "127.0.0.1", store.port())
                            .withTransport("tcp")
                            .withStoreHosted(true)
                            .withLanes(Integer.parseInt(args[0]))
                            .withEncryption(Encryption.EVERYWHERE)
                            .withToken("a token for updates of keys")))
                    .collectList()
                    .block());
            for (int round = 0; round < 3; round++) {
                Flux.fromIterable(groups).flatMap(group -> reduced(group)).blockLast();
            }
            System.out.println(DONE + args[0]);
            groups.forEach(ProcessGroup::close);
            store.close();
        }

        private static Flux<Float> reduced(ProcessGroup group) {
            float[] values = new float[COUNT];
            for (int i = 0; i < COUNT; i++) {
                values[i] = (group.rank() + 1) * (i % 1000);
            }
            Tensor tensor = Tensor.of(values, COUNT);
            return group.allReduce(tensor, ReduceOp.SUM).flatMapMany(work -> {
                float[] sums = tensor.toFloatArray();
                for (int i = 0; i < COUNT; i++) {
                    if (sums[i] != 3 * (i % 1000)) {
                        return Flux.error(new AssertionError("wrong sum: index=" + i + ", sum=" + sums[i]));
                    }
                }
                return Flux.just(sums[COUNT - 1]);
            });
        }
    }
}
