package io.reactivecomm.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
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

    private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");

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
        List<String> command = new ArrayList<>();
        command.add(JAVA.toString());
        command.addAll(LocalSpark.OPENS);
        command.addAll(options);
        command.addAll(List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp"));
        command.add(main.startsWith("org.") ? jarsOfSpark() : System.getProperty("java.class.path"));
        command.add(main);
        command.addAll(List.of(arguments));
        return start(host, log, Path.of(""), command);
    }

    private String jarsOfSpark() {
        return home.resolve("jars") + File.separator + "*";
    }

    private Process start(int host, String log, Path directory, List<String> command) throws IOException {
        List<String> all = new ArrayList<>(List.of("ip", "netns", "exec", host(host)));
        all.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(all)
                .directory(directory.toAbsolutePath().toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve(log).toFile());
        builder.environment().putAll(environment());
        builder.environment().put("SPARK_LOCAL_IP", "10.79.0." + (host + 1));
        Process process = builder.start();
        processes.add(process);
        return process;
    }

    /** {@return what the scripts of an installed Spark set} */
    private Map<String, String> environment() {
        return Map.of(
                "JAVA_HOME", System.getProperty("java.home"),
                "SPARK_CONF_DIR", folder.toString(),
                "SPARK_SCALA_VERSION", "2.13");
    }

    private void startCluster(List<String> options) throws IOException {
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
    }

    /** {@return what the driver printed} */
    private String output(Process driver) throws Exception {
        boolean isOver = driver.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
        String output = Files.readString(folder.resolve("driver"));
        assertThat(isOver).as("the driver ended: %s", output).isTrue();
        return output;
    }

    private String world(List<String> options) throws Exception {
        startCluster(options);
        return output(start(0, "driver", options, TwoHosts.class.getName(), MASTER, "false"));
    }

    /** {@return the driver's JVM as the command of docs/spark.md starts it} The script spark-submit asks a class of Spark for its command, and executes that. */
    private List<String> submitted() throws IOException {
        Path jars = Files.createDirectories(folder.resolve("target").resolve("jars"));
        List<String> programs = List.of(SparkHome.programJars().split(","));
        Files.copy(Path.of(programs.getFirst()), folder.resolve("target").resolve("program.jar"));
        for (String each : programs.subList(1, programs.size())) {
            Files.copy(Path.of(each), jars.resolve(Path.of(each).getFileName()));
        }
        Files.writeString(folder.resolve("spark-defaults.conf"), "spark.authenticate.secret a secret of this test\n");
        String page = Files.readString(Path.of("..", "..", "docs", "spark.md"));
        String command = page.substring(page.indexOf("FLAGS="), page.indexOf("\n```", page.indexOf("FLAGS=")))
                .replace("spark://host:7077", MASTER)
                .replace("--class FirstProgram", "--class " + FirstProgram.class.getName())
                .replace("/opt/jdk-25", System.getProperty("java.home"));
        String script = "spark-submit() { '" + JAVA + "' -cp '" + jarsOfSpark()
                + "' org.apache.spark.launcher.Main org.apache.spark.deploy.SparkSubmit \"$@\"; }\n" + command;
        ProcessBuilder builder = new ProcessBuilder("bash", "-c", script)
                .directory(folder.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putAll(environment());
        Process launcher = builder.start();
        processes.add(launcher);
        String words = new String(launcher.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return List.of(words.substring(words.indexOf('\n') + 1).split("\0"));
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
    void commandOfThePage_runsItsProgram() throws Exception {
        startCluster(ENCRYPTED);
        List<String> driver = submitted();

        assertThat(driver).containsAll(List.of(SparkHome.FLAGS.split(" ")));
        assertThat(output(start(0, "driver", folder, driver))).contains("2999997.0 4999995.0");
        assertThat(executorLog(0) + executorLog(1)).contains("encrypted=all").doesNotContain("lacks flags");
    }

    /** Neither trust nor a token of its own leaves a link between the hosts unencrypted. */
    @Test
    void plainRpc_isTrusted_orCarriesNoToken() throws Exception {
        startCluster(List.of());
        String main = TwoHosts.class.getName();
        assertThat(output(start(0, "driver", List.of(), main, MASTER, "true")))
                .as("trusted")
                .contains("sums=[3, 3]", "networks=2");
        assertThat(output(start(0, "driver", List.of(), main, MASTER, "false", "0123456789abcdef".repeat(4))))
                .as("with a token")
                .contains("sums=[3, 3]", "networks=2");
        assertThat(executorLog(0)).contains("encrypted=all").doesNotContain("encrypted=none");
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
