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
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;

/** The classes that a JVM loads until its first result: what most programs never use is loaded with its first use. */
class ConnectedClassesTest {

    private static final String DONE = "the call is done";

    @Test
    @Timeout(120)
    void connectAndFirstCall_onLoopback_loadNeitherJacksonNorTls() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:TieredStopAtLevel=1",
                        "-Xlog:class+load",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Program.class.getName())
                .redirectErrorStream(true)
                .start();
        try {
            process.onExit().orTimeout(90, TimeUnit.SECONDS).whenComplete((ended, late) -> process.destroyForcibly());
            List<String> said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
            assertThat(said).contains(DONE);
            assertThat(said).anyMatch(line -> line.contains(" io.reactivecomm.ReactiveComm "));
            assertThat(said).noneMatch(line -> line.contains(" tools.jackson."));
            // The JDK loads the class SunJSSE itself when it goes through its list of providers.
            assertThat(said)
                    .filteredOn(line -> line.contains(" javax.net.ssl.") || line.contains(" sun.security.ssl."))
                    .allMatch(line -> line.contains(" sun.security.ssl.SunJSSE "));
        } finally {
            process.destroyForcibly();
        }
    }

    /** Two ranks over TCP that make one call. */
    static final class Program {

        private Program() {}

        public static void main(String[] args) {
            HostedStore store = Objects.requireNonNull(new NettyStoreHost()
                    .start("127.0.0.1", 0, "classes", Encryption.BETWEEN_HOSTS)
                    .block());
            List<ProcessGroup> groups = Objects.requireNonNull(Flux.range(0, 2)
                    .flatMap(rank -> ReactiveComm.connect(CommConfig.of(rank, 2, "127.0.0.1", store.port())
                            .withTransport("tcp")
                            .withStoreHosted(true)
                            .withToken("classes")))
                    .collectList()
                    .block());
            Flux.fromIterable(groups)
                    .flatMap(group -> group.allReduce(Tensor.of(new float[] {1}, 1), ReduceOp.SUM))
                    .blockLast();
            System.out.println(DONE);
            groups.forEach(ProcessGroup::close);
            store.close();
        }
    }
}
