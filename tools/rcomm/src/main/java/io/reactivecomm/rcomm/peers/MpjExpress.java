package io.reactivecomm.rcomm.peers;

import io.reactivecomm.CommException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An installed MPJ Express in its multicore configuration: ranks are threads of one JVM.
 *
 * <p>It takes a home folder with all its jars in {@code lib} and its settings in {@code conf}, and finds the jars that it needs beside the
 * one that it was started from. Debian has them in two folders, and settings that only its own folder's owner may change: so a home of our
 * own is put together from copies.
 *
 * @param jars where its jars may be
 * @param scratch for the home and the measuring program
 */
record MpjExpress(SearchPath jars, Path scratch) {

    /** What the starting of ranks needs; the rest each rank loads for itself. */
    private static final List<String> ON_CLASS_PATH =
            List.of("starter.jar", "smpdev.jar", "xdev.jar", "mpjbuf.jar", "mpiExp.jar");

    private static final List<String> FOR_EACH_RANK =
            List.of("mpj.jar", "mpi.jar", "mpjdev.jar", "runtimecommon.jar", "log4j-1.2.jar");

    private static final String SETTINGS = """
            mpjexpress.mpjdaemon.port.1=40055
            mpjexpress.mpjdaemon.port.2=40052
            mpjexpress.mpjrun.port.1=40002
            mpjexpress.mpjdaemon.loglevel=OFF
            mpjexpress.mpjrun.loglevel=OFF
            mpjexpress.mpi.loglevel=OFF
            mpjexpress.version=0.44
            mpjexpress.mpi.old.collectives=false
            """;

    PeerAvailability find() {
        Optional<String> absent =
                needed().filter(name -> jars.file(name).isEmpty()).findFirst();
        if (absent.isPresent()) {
            return missing("not installed: no " + absent.get() + " in " + jars.folders()
                    + " (Debian: libmpj-java; --mpj-jars names others)");
        }
        try {
            Path home = makeHome();
            String complaint = compile(home);
            return complaint == null ? installed(home) : missing("cannot be compiled: javac says: " + complaint);
        } catch (IOException e) {
            return missing("cannot be copied: " + CommException.textOf(e));
        }
    }

    private static Stream<String> needed() {
        return Stream.concat(ON_CLASS_PATH.stream(), FOR_EACH_RANK.stream());
    }

    private Path makeHome() throws IOException {
        Path home = Files.createDirectories(scratch.resolve("mpj"));
        Path lib = Files.createDirectories(home.resolve("lib"));
        for (String name : needed().toList()) {
            Path jar = jars.file(name).orElseThrow();
            if (!Files.exists(lib.resolve(name))) {
                Files.copy(jar, lib.resolve(name));
            }
        }
        Files.writeString(Files.createDirectories(home.resolve("conf")).resolve("mpjexpress.conf"), SETTINGS);
        return home;
    }

    /** {@return javac's complaint, or null if there is none} */
    private @Nullable String compile(Path home) {
        Path source = PeerSearch.unpacked("PeerBench.java", scratch);
        List<String> command = List.of(
                java("javac"), "-cp", home.resolve("lib/mpj.jar").toString(), "-d", home.toString(), source.toString());
        Probe.Answer answer = Probe.ask(command, scratch);
        return answer.succeeded() ? null : answer.firstLine();
    }

    /** Not through its own launcher, which would start a JVM that only it could end. */
    private static PeerAvailability installed(Path home) {
        Path lib = home.resolve("lib");
        String classPath = ON_CLASS_PATH.stream()
                .map(name -> lib.resolve(name).toString())
                .collect(Collectors.joining(File.pathSeparator));
        return new PeerAvailability.Installed(new PeerProgram(
                PeerKind.MPJ,
                "MPJ Express, Java " + Runtime.version().feature(),
                request -> List.of(
                        java("java"),
                        "-cp",
                        classPath,
                        "runtime.starter.MulticoreStarter",
                        home.toString(),
                        Integer.toString(request.ranks()),
                        "smpdev",
                        "useLocalLoader",
                        home.toString(),
                        "PeerBench"),
                Map.of("MPJ_HOME", home.toString())));
    }

    private static String java(String program) {
        return Path.of(System.getProperty("java.home"), "bin", program).toString();
    }

    private static PeerAvailability missing(String reason) {
        return new PeerAvailability.Missing(PeerKind.MPJ, reason);
    }
}
