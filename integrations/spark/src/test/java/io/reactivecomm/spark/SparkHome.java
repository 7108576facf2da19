package io.reactivecomm.spark;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;

/**
 * An installation of Spark below {@code target/}, as a cluster has one: its jars are links to those of the class path. The modules of this project, and what they
 * bring, are not part of it: they come to executors by {@code spark.jars}, into a class loader below Spark's.
 */
final class SparkHome {

    /** The variable that Spark reads, which Surefire sets. */
    private static final String VARIABLE = "SPARK_HOME";

    private static final Pattern OURS = Pattern.compile(
            "(reactive-comm|reactor-core|reactive-streams|caffeine|error_prone|jspecify|jackson-(core|databind)-3).*\\.jar");

    private static final List<Path> CLASS_PATH = Arrays.stream(
                    System.getProperty("java.class.path").split(File.pathSeparator))
            .map(Path::of)
            .toList();

    /** The flags of docs/spark.md. */
    static final String FLAGS =
            "--enable-native-access=ALL-UNNAMED --add-modules=jdk.incubator.vector -XX:+UnlockDiagnosticVMOptions -XX:-ReduceAllocationMerges";

    private SparkHome() {}

    /** {@return the root of the installation} */
    static synchronized Path install() {
        Path home = Path.of(System.getenv(VARIABLE));
        try {
            Path jars = Files.createDirectories(home.resolve("jars"));
            Files.writeString(home.resolve("RELEASE"), "of tests\n");
            for (Path each : CLASS_PATH) {
                String name = each.getFileName().toString();
                if (Files.isRegularFile(each) && !OURS.matcher(name).matches()) {
                    link(jars.resolve(name), each);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return home;
    }

    /** Other tests, or drivers of this one, may be at the same. */
    private static void link(Path link, Path jar) throws IOException {
        try {
            Files.createSymbolicLink(link, jar);
        } catch (FileAlreadyExistsException e) {
            // The folder is of this version of Spark, so the link is right.
        }
    }

    /** {@return the value of spark.jars: what a program brings to the executors} */
    static String programJars() {
        List<String> jars = new ArrayList<>();
        for (Path each : CLASS_PATH) {
            if (Files.isDirectory(each)) {
                jars.add(packed(each, jars.size()).toString());
            } else if (OURS.matcher(each.getFileName().toString()).matches()) {
                jars.add(each.toString());
            }
        }
        return String.join(",", jars);
    }

    private static Path packed(Path classes, int number) {
        Path jar = Path.of(
                        "target",
                        "program-" + number + "-" + ProcessHandle.current().pid() + ".jar")
                .toAbsolutePath();
        jar.toFile().deleteOnExit();
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream packing = new JarOutputStream(out);
                Stream<Path> files = Files.walk(classes)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                packing.putNextEntry(
                        new JarEntry(classes.relativize(file).toString().replace(File.separatorChar, '/')));
                Files.copy(file, packing);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return jar;
    }

    /** {@return a builder for executors with half a GiB each, which have the project's flags} */
    static SparkSession.Builder cluster(String master) {
        install();
        return LocalSpark.builder(master)
                .config("spark.jars", programJars())
                .config("spark.executor.memory", "512m")
                .config("spark.executor.extraJavaOptions", FLAGS + " -XX:+UseSerialGC -XX:TieredStopAtLevel=1")
                .config("spark.executorEnv.JAVA_HOME", System.getProperty("java.home"))
                // The scripts of an installed Spark set it.
                .config("spark.executorEnv.SPARK_SCALA_VERSION", "2.13");
    }
}
