package io.reactivecomm.internal.dump;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The names of the dumps that a rank writes into one folder. A program may have one world after the other, or several at a time: that of which a rank has
 * something to tell first has the plain names, and the next do not write over them.
 *
 * <pre>
 *   rank-3.json           the first world
 *   rank-3-world-2.json   the second, and so on up to {@value #MOST_WORLDS}: then the second's come again
 * </pre>
 *
 * <p><b>Threads.</b> Any.
 */
final class DumpNames {

    /** A program that forms its world anew after each failure may do so for ever, and a disk has an end: the first and the last tell most. */
    static final int MOST_WORLDS = 8;

    /** How many worlds of this JVM have written dumps of a rank, by the first one's plain name. */
    private static final Map<Path, Integer> WORLDS = new ConcurrentHashMap<>();

    private final Path folder;
    private final String plain;
    private String stem = "";

    DumpNames(Path folder, int rank) {
        this.folder = folder;
        this.plain = "rank-" + rank;
    }

    /** {@return the file of a dump} @param ending what tells it from the rank's others of its world, or empty */
    synchronized Path file(String ending) {
        if (stem.isEmpty()) {
            Path first = folder.toAbsolutePath().normalize().resolve(plain);
            int world = WORLDS.merge(first, 1, (before, one) -> before == MOST_WORLDS ? 2 : before + one);
            stem = plain + (world == 1 ? "" : "-world-" + world);
        }
        return folder.resolve(stem + ending + ".json");
    }
}
