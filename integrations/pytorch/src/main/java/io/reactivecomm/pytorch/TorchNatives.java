package io.reactivecomm.pytorch;

import io.reactivecomm.spi.WarningLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.bytedeco.javacpp.Loader;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.pytorch.global.torch;
import org.slf4j.Logger;

/**
 * The native libraries of torch in this process.
 *
 * <pre>{@code
 * public static void main(String[] arguments) {
 *     TorchNatives.load();                            // before any class of org.bytedeco
 *     train();
 * }
 * }</pre>
 *
 * <p><b>Limits.</b> JavaCPP counts the resident memory of the whole process against a limit derived from the heap's, and throws an {@code OutOfMemoryError} beyond it. Off-heap
 * tensors and shared memory count. {@link #load} sets {@code org.bytedeco.javacpp.maxphysicalbytes} and {@code maxbytes} to 0, unless the program has set them.
 * JavaCPP reads both once, with its first class.
 *
 * <p><b>Extraction.</b> JavaCPP unpacks the libraries to its cache at first use. Processes that do so at the same time can load incomplete files. {@link #load} unpacks under a lock on a file in that folder.
 */
public final class TorchNatives {

    private static final Logger LOG = WarningLog.of(TorchNatives.class);

    private static final String PROPERTIES = "org.bytedeco.javacpp.";

    private static boolean isLoaded;

    private TorchNatives() {}

    /**
     * Loads torch. Idempotent. Make it the first line of {@code main}.
     *
     * @throws UncheckedIOException if the cache cannot be written to
     */
    public static synchronized void load() {
        if (isLoaded) {
            return;
        }
        unlessSet("maxphysicalbytes");
        unlessSet("maxbytes");
        try {
            Path cache = Loader.getCacheDir().toPath();
            try (FileChannel file = FileChannel.open(
                            cache.resolve(".reactive-comm.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock lock = file.lock()) {
                Loader.load(torch.class);
                LOG.info(
                        "torch loaded: cache={}, lock={}, maxphysicalbytes={}, threads={}",
                        cache,
                        lock.isValid(),
                        Pointer.maxPhysicalBytes(),
                        torch.get_num_threads());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "torch's libraries cannot be unpacked; set org.bytedeco.javacpp.cachedir to a folder of this user's",
                    e);
        }
        warnOfLimit();
        isLoaded = true;
    }

    /** Divides the processors of the machine among its ranks, unless the program has chosen a number of threads. */
    static void shareProcessors(int localSize) {
        boolean isChosen = System.getenv("OMP_NUM_THREADS") != null
                || torch.get_num_threads() != torch.intraop_default_num_threads();
        if (!isChosen) {
            torch.set_num_threads(Math.max(1, Runtime.getRuntime().availableProcessors() / localSize));
        }
    }

    private static void unlessSet(String property) {
        System.getProperties().putIfAbsent(PROPERTIES + property, "0");
    }

    private static void warnOfLimit() {
        if (Pointer.maxPhysicalBytes() > 0) {
            LOG.warn(
                    "JavaCPP limits the memory of this process: maxphysicalbytes={}; make TorchNatives.load() the first line of main, or set -D{}maxphysicalbytes=0",
                    Pointer.maxPhysicalBytes(),
                    PROPERTIES);
        }
    }
}
