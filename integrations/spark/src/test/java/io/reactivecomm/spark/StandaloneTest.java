package io.reactivecomm.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Worlds on a standalone cluster of two hosts, which are network namespaces: the master, the driver and a worker on one, another worker on the other. It needs
 * root.
 */
@Tag("thorough")
@Timeout(600)
class StandaloneTest {

    private static final long LIMIT_SECONDS = 240;

    private static final String MASTER = "spark://10.79.0.1:17077";

    private static final List<String> ENCRYPTED = List.of(
            "-Dspark.authenticate=true",
            "-Dspark.authenticate.secret=a secret of this test",
            "-Dspark.network.crypto.enabled=true");

    private final String name = "rcs" + ProcessHandle.current().pid();
    private final List<Process> processes = new ArrayList<>();
    private final Path home = SparkHome.install();

    @TempDir
    private Path folder;

    private static boolean ip(String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("ip"));
        command.addAll(List.of(words));
        return new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start()
                        .waitFor()
                == 0;
    }

    private String host(int number) {
        return name + "-" + number;
    }

    @BeforeEach
    void open() throws Exception {
        boolean isMade = ip("netns", "add", host(0)) && ip("netns", "add", host(1));
        assumeTrue(isMade && ip("-n", host(0), "link", "add", "eth", "type", "veth", "peer", "eth", "netns", host(1)));
        for (int i = 0; i < 2; i++) {
            assertThat(ip("-n", host(i), "addr", "add", "10.79.0." + (i + 1) + "/24", "dev", "eth"))
                    .isTrue();
            assertThat(ip("-n", host(i), "link", "set", "lo", "up")).isTrue();
            assertThat(ip("-n", host(i), "link", "set", "eth", "up")).isTrue();
        }
    }

    @AfterEach
    void close() throws Exception {
        for (Process each : processes.reversed()) {
            List<ProcessHandle> children = each.descendants().toList();
            each.destroyForcibly().waitFor();
            children.forEach(ProcessHandle::destroyForcibly);
        }
        ip("netns", "del", host(0));
        ip("netns", "del", host(1));
    }

    private Process start(int host, String log, List<String> options, String main, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>(List.of("ip", "netns", "exec", host(host)));
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(LocalSpark.OPENS);
        command.addAll(options);
        command.addAll(List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp"));
        command.add(
                main.startsWith("org.")
                        ? home.resolve("jars") + File.separator + "*"
                        : System.getProperty("java.class.path"));
        command.add(main);
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(Map.of("SPARK_SCALA_VERSION", "2.13", "SPARK_LOCAL_IP", "10.79.0." + (host + 1)));
        builder.redirectOutput(folder.resolve(log).toFile());
        Process process = builder.start();
        processes.add(process);
        return process;
    }

    /** {@return what the driver printed} */
    private String world(List<String> options) throws Exception {
        start(
                0,
                "master",
                options,
                "org.apache.spark.deploy.master.Master",
                "--host",
                "10.79.0.1",
                "--port",
                "17077",
                "--webui-port",
                "0");
        for (int i = 0; i < 2; i++) {
            start(
                    i,
                    "worker" + i,
                    options,
                    "org.apache.spark.deploy.worker.Worker",
                    "--host",
                    "10.79.0." + (i + 1),
                    "--cores",
                    "1",
                    "--memory",
                    "1024m",
                    "--work-dir",
                    folder.resolve("work" + i).toString(),
                    "--webui-port",
                    "0",
                    MASTER);
        }
        awaitText("master", "Registering worker 10.79.0.1", "Registering worker 10.79.0.2");
        Process driver = start(0, "driver", options, TwoHosts.class.getName(), MASTER);
        assertThat(driver.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS))
                .as("the driver ended: %s", Files.readString(folder.resolve("driver")))
                .isTrue();
        return Files.readString(folder.resolve("driver"));
    }

    private String executorLog(int worker) throws IOException {
        StringBuilder logs = new StringBuilder();
        try (Stream<Path> files = Files.walk(folder.resolve("work" + worker))) {
            for (Path each : files.filter(file -> file.endsWith("stderr")).toList()) {
                logs.append(Files.readString(each));
            }
        }
        return logs.toString();
    }

    private void awaitText(String log, String... texts) throws IOException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        for (String each : texts) {
            while (!Files.readString(folder.resolve(log)).contains(each)) {
                assertThat(System.nanoTime() - end)
                        .as("%s in %s", each, Files.readString(folder.resolve(log)))
                        .isNegative();
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
            }
        }
    }

    @Test
    void encryptedRpc_carriesTheToken() throws Exception {
        assertThat(world(ENCRYPTED)).contains("sums=[3, 3]", "networks=2");
        for (int worker = 0; worker < 2; worker++) {
            assertThat(executorLog(worker)).as("the log of an executor").contains("encrypted=all");
        }
    }

    @Test
    void plainRpc_isRefused() throws Exception {
        assertThat(world(List.of()))
                .contains(
                        "ranks on several hosts need a secret",
                        "10.79.0.1",
                        "10.79.0.2",
                        "spark.network.crypto.enabled=true",
                        "trustSparkRpc")
                .doesNotContain("sums=");
    }
}
