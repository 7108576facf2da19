package io.reactivecomm.nccl.cuda;

import io.reactivecomm.UnsupportedCollectiveException;
import io.reactivecomm.spi.NativeAccess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import jcuda.driver.CUdevice;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;

/**
 * The CUDA driver of this process, loaded once through JCuda. Nobody touches JCuda's driver class before {@link #load()} has returned: where its
 * natives or
 * libcuda are missing, the first touch is an error, and each later one another.
 *
 * <p><b>Threads.</b> Any; the first to load it holds up the others.
 */
public final class CudaDriver {

    private static final String DRIVER = "libcuda.so.1";
    private static final String TEMPORARY = "java.io.tmpdir";
    private static final int NAME_BYTES = 256;

    private static @Nullable CudaDriver loaded;
    private static @Nullable String missing;

    private final int version;

    private CudaDriver(int version) {
        this.version = version;
    }

    /**
     * {@return the driver}
     *
     * @throws UnsupportedCollectiveException if the driver, JCuda, JCuda's natives or a GPU is missing; it says which
     */
    public static synchronized CudaDriver load() {
        if (loaded == null && missing == null) {
            missing = link();
        }
        if (missing != null) {
            throw new UnsupportedCollectiveException(missing);
        }
        if (loaded == null) {
            loaded = begin();
        }
        return loaded;
    }

    /** {@return the version of CUDA that the driver knows, such as 12060 for 12.6} */
    public int version() {
        return version;
    }

    /** {@return how many devices this process sees} */
    public int devices() {
        int[] count = new int[1];
        CudaResult.check("cuDeviceGetCount", JCudaDriver.cuDeviceGetCount(count));
        return count[0];
    }

    /** {@return a device by its maker's name for it} */
    public String model(int index) {
        CUdevice gpu = new CUdevice();
        CudaResult.check("cuDeviceGet", JCudaDriver.cuDeviceGet(gpu, index));
        byte[] name = new byte[NAME_BYTES];
        CudaResult.check("cuDeviceGetName", JCudaDriver.cuDeviceGetName(name, name.length, gpu));
        String text = new String(name, StandardCharsets.UTF_8);
        int end = text.indexOf('\0');
        return end < 0 ? text : text.substring(0, end);
    }

    /** {@return what is missing, for people; null if JCuda is there} */
    private static @Nullable String link() {
        try (Arena arena = Arena.ofConfined()) {
            SymbolLookup.libraryLookup(DRIVER, arena);
        } catch (IllegalArgumentException e) {
            return "there is no CUDA driver: missing=" + DRIVER
                    + "; install NVIDIA's driver, or give the container its GPUs;"
                    + " without a GPU use tensors of the"
                    + " host's memory, over links";
        } catch (IllegalCallerException e) {
            return "the CUDA driver cannot be called: cause=" + NativeAccess.reason(e);
        }
        try {
            inFreshDirectory();
            return null;
        } catch (LinkageError e) {
            return "JCuda cannot be loaded, though the CUDA driver is there: missing=JCuda's classes or natives, cause="
                    + firstLine(e)
                    + "; put org.jcuda:jcuda and org.jcuda:jcuda-natives of one version for this system on the class path";
        }
    }

    private static String firstLine(LinkageError e) {
        return String.valueOf(e).lines().findFirst().orElse("");
    }

    /**
     * JCuda unpacks its natives under one name: a process that started at the same time would write over what this one has mapped, and die of SIGBUS.
     * What is
     * loaded needs its file no more.
     */
    private static void inFreshDirectory() {
        Path fresh = freshDirectory();
        String before = System.setProperty(TEMPORARY, fresh.toString());
        try {
            // Results are looked at here: JCuda's own exceptions name no function.
            JCudaDriver.setExceptionsEnabled(false);
            JCudaDriver.cuDriverGetVersion(new int[1]);
        } finally {
            System.setProperty(TEMPORARY, before);
            delete(fresh);
        }
    }

    private static Path freshDirectory() {
        try {
            return Files.createTempDirectory("rcomm-jcuda");
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "JCuda's natives cannot be unpacked: property=" + TEMPORARY
                            + "; name a directory that can be written",
                    e);
        }
    }

    private static void delete(Path directory) {
        try {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
                for (Path file : files) {
                    Files.delete(file);
                }
            }
            Files.delete(directory);
        } catch (IOException e) {
            // JCuda deletes what it has unpacked when the JVM ends; an empty directory may stay.
            directory.toFile().deleteOnExit();
        }
    }

    /** Not remembered if it fails: a GPU may be given to a container later. */
    private static CudaDriver begin() {
        int code = JCudaDriver.cuInit(0);
        if (code != CUresult.CUDA_SUCCESS) {
            throw new UnsupportedCollectiveException("the CUDA driver is there and cannot be used: function=cuInit, "
                    + CudaResult.describe(code) + "; look whether nvidia-smi shows a GPU, and at CUDA_VISIBLE_DEVICES");
        }
        int[] version = new int[1];
        CudaResult.check("cuDriverGetVersion", JCudaDriver.cuDriverGetVersion(version));
        return new CudaDriver(version[0]);
    }
}
