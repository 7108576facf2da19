package io.reactivecomm.rcomm.gpu;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.github.benmanes.caffeine.cache.Cache;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.UnixChannel;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.ssl.SslContext;
import io.netty.resolver.NameResolver;
import io.netty.util.concurrent.EventExecutor;
import io.reactivecomm.CommException;
import io.reactivecomm.compression.Codec;
import io.reactivecomm.launch.RankPlace;
import io.reactivecomm.mpi.MpiProbe;
import io.reactivecomm.netty.TcpTransport;
import io.reactivecomm.rcomm.gpu.check.GpuCheck;
import io.reactivecomm.rcomm.output.ScratchFolder;
import io.reactivecomm.samples.programs.output.JsonFile;
import io.reactivecomm.samples.programs.output.OutputFile;
import io.reactivecomm.spi.RankJvmOptions;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import picocli.CommandLine;
import reactor.core.publisher.Mono;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.json.JsonMapper;

/** A packing of {@code gpu-check} with a Java that has no more than it needs, so that it runs where there is none: one file to copy. */
final class GpuPack {

    /** What fits through a slow line, and into a mail. */
    static final long MOST_BYTES = 30_000_000;

    /** The folder in the file, and the script in the folder. */
    static final String NAME = "gpu-check";

    /** The library's, and java.xml, whose types Jackson names. */
    private static final String MODULES =
            "java.base,java.logging,java.management,java.xml,jdk.management,jdk.unsupported,jdk.jfr,jdk.incubator.vector,jdk.net";

    /** One type of each jar that the command needs. */
    private static final List<Class<?>> TYPES = List.of(
            GpuCheckCommand.class,
            JsonFile.class,
            GpuCheck.class,
            Codec.class,
            CommException.class,
            JCudaDriver.class,
            MpiProbe.class,
            RankPlace.class,
            TcpTransport.class,
            Cache.class,
            ByteBuf.class,
            ByteToMessageDecoder.class,
            Channel.class,
            Epoll.class,
            EventExecutor.class,
            NameResolver.class,
            SslContext.class,
            UnixChannel.class,
            Mono.class,
            Publisher.class,
            Logger.class,
            CommandLine.class,
            JsonMapper.class,
            JsonParser.class,
            JsonProperty.class,
            Nullable.class);

    /** JCuda's natives have a file for each of its libraries, of which the driver's is needed; the compiler of PTX alone takes 24 MB. */
    private static final String NATIVES = "META-INF/maven/org.jcuda/jcuda-natives/pom.properties";

    private static final String NATIVE = "lib/libJCudaDriver-";

    private static final String SCRIPT = """
            #!/bin/sh
            # The check of a GPU by Reactive Comm, with a Java of its own: ./gpu-check --help
            here=$(cd "$(dirname "$0")" && pwd -P)
            exec "$here/java/bin/java" --enable-native-access=ALL-UNNAMED -Dslf4j.internal.verbosity=ERROR %s -cp "%s" %s "$@"
            """;

    private GpuPack() {}

    /**
     * Packs it.
     *
     * @return the size in bytes
     * @throws IllegalStateException if it is larger than it may be, or a tool is missing that packs
     */
    static long write(Path file) throws IOException {
        try (ScratchFolder scratch = ScratchFolder.make()) {
            Path folder = Files.createDirectory(scratch.path().resolve(NAME));
            run(
                    scratch,
                    List.of(
                            tool("jlink"),
                            "--add-modules",
                            MODULES,
                            "--compress",
                            "zip-0",
                            "--strip-debug",
                            "--no-header-files",
                            "--no-man-pages",
                            "--output",
                            folder.resolve("java").toString()));
            script(folder, copyClasses(folder));
            OutputFile.makeFolder(file);
            // By the file's name tar knows how to compress.
            run(
                    scratch,
                    List.of(
                            "tar",
                            "-C",
                            scratch.path().toString(),
                            "-caf",
                            file.toAbsolutePath().toString(),
                            NAME));
            return checkedSize(file);
        }
    }

    private static String tool(String name) {
        Path tool = Path.of(System.getProperty("java.home"), "bin", name);
        if (!Files.isExecutable(tool)) {
            throw new IllegalStateException(
                    "this Java cannot pack: missing=" + tool + "; start rcomm with a whole JDK, by RCOMM_JAVA_HOME");
        }
        return tool.toString();
    }

    private static void run(ScratchFolder scratch, List<String> command) throws IOException {
        Path said = scratch.fresh("said.txt");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        if (process.onExit().join().exitValue() != 0) {
            throw new IllegalStateException("a tool that packs has failed: command=" + command.getFirst() + ", said="
                    + Files.readString(said).strip() + "; it needs a JDK with jlink, tar and xz");
        }
    }

    /** {@return the class path, below the folder of the script} */
    private static String copyClasses(Path folder) throws IOException {
        Path classes = Files.createDirectory(folder.resolve("classes"));
        Set<Path> sources = TYPES.stream().map(GpuPack::source).collect(Collectors.toSet());
        int number = 0;
        for (Path source : sources) {
            // Modules that are not packaged have folders of one name.
            copy(source, classes.resolve(number++ + "-" + source.getFileName()));
        }
        copyNative(classes.resolve("natives"));
        try (Stream<Path> all = Files.list(classes)) {
            return all.map(each -> "$here/classes/" + each.getFileName())
                    .sorted()
                    .collect(Collectors.joining(":"));
        }
    }

    private static Path source(Class<?> type) {
        try {
            return Path.of(
                    type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException("a type is in no file: type=" + type.getName(), e);
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            for (Path each : all.toList()) {
                Files.copy(each, to.resolve(from.relativize(each).toString()));
            }
        }
    }

    private static void copyNative(Path to) throws IOException {
        URL mark = JCudaDriver.class.getClassLoader().getResource(NATIVES);
        if (mark == null || !(mark.openConnection() instanceof JarURLConnection connection)) {
            throw new IllegalStateException("JCuda's natives are not on the class path: missing=" + NATIVES);
        }
        JarFile natives = connection.getJarFile();
        for (JarEntry entry : natives.stream()
                .filter(each -> each.getName().startsWith(NATIVE))
                .toList()) {
            Path file = to.resolve(entry.getName());
            Files.createDirectories(file.getParent());
            try (InputStream bytes = natives.getInputStream(entry)) {
                Files.copy(bytes, file);
            }
        }
    }

    /** The flags are this JVM's, which the rcomm script chooses for its release. */
    private static void script(Path folder, String classPath) throws IOException {
        String flags = RankJvmOptions.inherited().stream()
                .filter(flag -> flag.startsWith("-XX:"))
                .collect(Collectors.joining(" "));
        Path script = Files.writeString(
                folder.resolve(NAME),
                String.format(Locale.ROOT, SCRIPT, flags, classPath, GpuCheckCommand.class.getName()));
        if (!script.toFile().setExecutable(true, false)) {
            throw new IllegalStateException("a script cannot be made to run: file=" + script);
        }
    }

    private static long checkedSize(Path file) throws IOException {
        long size = Files.size(file);
        if (size > MOST_BYTES) {
            Files.delete(file);
            throw new IllegalStateException("the pack is too large: bytes=" + size + ", most=" + MOST_BYTES
                    + "; name a file that ends in .tar.xz");
        }
        return size;
    }
}
