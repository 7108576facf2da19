package io.reactivecomm.rcomm.peers;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Finds out which peers are installed, and makes their measuring programs ready in a folder.
 *
 * <p><b>Threads.</b> One; it blocks for as long as python takes to import torch and a compiler to compile a file.
 */
public final class PeerSearch {

    /** Where a distribution's own programs are, if a version of someone's own hides them: of several pythons, one may have torch. */
    public static final String USUAL_PATH = "/usr/local/bin:/usr/bin";

    private final SearchPath programs;
    private final SearchPath mpjJars;
    private final Path scratch;

    /**
     * Makes a search that has not begun.
     *
     * @param path where programs are, as PATH has it
     * @param mpjJars folders of the jars of MPJ Express, separated likewise
     * @param scratch an existing folder for measuring programs, which must last as long as they are run
     */
    public PeerSearch(String path, String mpjJars, Path scratch) {
        this.programs = SearchPath.of(path);
        this.mpjJars = SearchPath.of(mpjJars);
        this.scratch = scratch;
    }

    /** {@return the peer made ready for so many ranks, or why it is missing} */
    public PeerAvailability find(PeerKind peer, int ranks) {
        return switch (peer) {
            case GLOO -> new TorchGloo(programs, scratch).find();
            case OPENMPI_SM, OPENMPI_TCP -> new OpenMpi(programs, scratch).find(peer);
            case MPICH -> new Mpich(programs, scratch).find(ranks);
            case LIMIT_SHM, LIMIT_TCP -> new Limit(programs, scratch).find(peer);
            case MPJ -> new MpjExpress(mpjJars, scratch).find();
        };
    }

    /** {@return where a resource of this package lies as a file} */
    static Path unpacked(String resource, Path scratch) {
        Path file = scratch.resolve(resource);
        try (InputStream source = PeerSearch.class.getResourceAsStream(resource)) {
            if (source == null) {
                throw new IllegalStateException(
                        "a resource is missing from the jar: resource=" + resource + "; rebuild the command");
            }
            if (!Files.exists(file)) {
                Files.copy(source, file);
            }
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot unpack a measuring program: file=" + file + "; make room there", e);
        }
    }
}
