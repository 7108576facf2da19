package io.reactivecomm.samples.programs.world;

import java.util.List;
import java.util.stream.Stream;

/** The flags with which the JVM of a rank process runs. */
public enum RankJvm {
    /** As this one is, with the Vector API: for what runs long enough to be compiled well, or is measured. */
    FULL {
        @Override
        List<String> flags(Stream<String> own) {
            return Stream.concat(own, Stream.of(VECTORS)).distinct().toList();
        }
    },
    /**
     * To be ready soon, for seconds of light work on few cores: the simple compiler, which is done early, the collector without threads,
     * and the plain kernels, because the Vector API needs the other compiler. On two cores it takes half of the time from four ranks of
     * {@code rcomm train} (7 s instead of 14 s).
     */
    QUICK {
        @Override
        List<String> flags(Stream<String> own) {
            return Stream.concat(
                            own.filter(flag -> !flag.startsWith(VECTORS)),
                            Stream.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"))
                    .toList();
        }
    };

    /** What the JVM says when {@link #VECTORS} is among its flags; no flag keeps it from that. */
    static final String VECTORS_WARNING = "WARNING: Using incubator modules: jdk.incubator.vector";

    private static final String VECTORS = "--add-modules=jdk.incubator.vector";

    /** {@return the flags for a rank, given this JVM's own} */
    abstract List<String> flags(Stream<String> own);
}
