package io.reactivecomm.recorder;

import java.io.IOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Objects;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * A rank's flight recorder at one moment: a JSON file, one for each rank. {@code io.reactivecomm.observability.doctor} merges those of many.
 *
 * @param version {@link #VERSION} of the library that wrote it
 * @param state calls, peers and groups
 * @param faults exceptions that threads of the program have died of; known only where {@code RCOMM_DUMP} is set
 * @param threads those of the JVM, the deadlocked and the callers first
 */
public record FlightDump(
        int version,
        DumpOrigin origin,
        LoopRecord loop,
        RankState state,
        List<ProgramFault> faults,
        List<ThreadRecord> threads) {

    /** Raised when a field changes its meaning. */
    public static final int VERSION = 1;

    /** Far more than a full ring and thousands of calls under way take, and far less than the doctor's JVM has. */
    static final long MOST_BYTES = 64L << 20;

    /** As many ranks as a world may have: the doctor lists those that are absent. */
    static final int MOST_RANKS = 65_536;

    private static final JsonMapper JSON = JsonMapper.builder()
            .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(SerializationFeature.INDENT_OUTPUT)
            .build();

    public FlightDump {
        Objects.requireNonNull(origin, "origin");
        Objects.requireNonNull(loop, "loop");
        Objects.requireNonNull(state, "state");
        faults = List.copyOf(faults);
        threads = List.copyOf(threads);
    }

    /** {@return the rank that it is of} */
    public int rank() {
        return origin.rank();
    }

    /**
     * Writes it, whole or not at all: to a file beside it first. Folders that are not there are made.
     *
     * @throws IOException if it cannot be written, as on a full disk; then nothing of it stays
     */
    public void write(Path file) throws IOException {
        Path target = file.toAbsolutePath();
        Path folder = target.getParent();
        if (folder == null) {
            throw new IOException("a dump needs a file's name: file=" + file + "; give one in a folder");
        }
        Files.createDirectories(folder);
        Path unfinished = Files.createTempFile(folder, target.getFileName() + ".", ".part");
        try {
            Files.write(unfinished, JSON.writeValueAsBytes(this));
            move(unfinished, target);
        } catch (JacksonException e) {
            throw new IOException("a dump could not be put into JSON: file=" + file, e);
        } finally {
            Files.deleteIfExists(unfinished);
        }
    }

    private static void move(Path from, Path to) throws IOException {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (AtomicMoveNotSupportedException e) {
            Files.move(from, to, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /**
     * {@return the dump in a file}
     *
     * @throws IOException if it cannot be read, or is none, or is larger than any, or is of a later version of the library, or of a rank that no world of at
     *     most {@value #MOST_RANKS} ranks has
     */
    public static FlightDump read(Path file) throws IOException {
        // Whatever lies in a folder may be named like a dump: a large trace is not taken into memory to find out.
        long bytes = Files.size(file);
        if (bytes > MOST_BYTES) {
            throw new IOException("a file is too large for a dump of the flight recorder: file=" + file + ", bytes="
                    + bytes + ", most=" + MOST_BYTES + "; leave it out");
        }
        FlightDump dump = parse(file);
        if (dump.version > VERSION) {
            throw new IOException("a dump is of a later version: file=" + file + ", version=" + dump.version
                    + ", known=" + VERSION + "; use the doctor of the library that wrote it");
        }
        requireRank(dump.origin, file);
        return dump;
    }

    /** What was made up, or has been damaged, must not have the doctor list ranks without end. */
    private static void requireRank(DumpOrigin origin, Path file) throws IOException {
        boolean isPossible =
                origin.worldSize() <= MOST_RANKS && origin.rank() >= 0 && origin.rank() < origin.worldSize();
        if (!isPossible) {
            throw new IOException("a dump is of no rank of its world: file=" + file + ", rank=" + origin.rank()
                    + ", worldSize=" + origin.worldSize() + ", most=" + MOST_RANKS + "; leave it out");
        }
    }

    private static FlightDump parse(Path file) throws IOException {
        try {
            return Objects.requireNonNull(JSON.readValue(Files.readAllBytes(file), FlightDump.class), "nothing");
        } catch (JacksonException | NullPointerException e) {
            throw new IOException(
                    "a file is no dump of the flight recorder, or half of one: file=" + file + "; leave it out", e);
        }
    }
}
