package io.reactivecomm.samples.programs.device;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.util.Optional;

/** A look at the CUDA driver without JCuda, which stays linked to the driver that it has first seen: no double could take its place then. */
final class DriverProbe {

    private static final String DRIVER = "libcuda.so.1";

    private DriverProbe() {}

    /** {@return what is not there of a driver with a GPU} A driver that has none is let go; one that has stays loaded, for good. */
    static Optional<String> lack() {
        Arena arena = Arena.ofShared();
        SymbolLookup driver;
        try {
            driver = SymbolLookup.libraryLookup(DRIVER, arena);
        } catch (IllegalArgumentException e) {
            arena.close();
            return Optional.of("no CUDA driver");
        } catch (IllegalCallerException e) {
            arena.close();
            return Optional.of("no native access");
        }
        if (devices(driver) > 0) {
            return Optional.empty();
        }
        arena.close();
        return Optional.of("no GPU");
    }

    private static int devices(SymbolLookup driver) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment count = arena.allocate(JAVA_INT);
            boolean isUsable = call(driver, "cuInit", FunctionDescriptor.of(JAVA_INT, JAVA_INT), 0) == 0
                    && call(driver, "cuDeviceGetCount", FunctionDescriptor.of(JAVA_INT, ADDRESS), count) == 0;
            return isUsable ? count.get(JAVA_INT, 0) : 0;
        }
    }

    private static int call(SymbolLookup driver, String function, FunctionDescriptor type, Object argument) {
        try {
            return (int) Linker.nativeLinker()
                    .downcallHandle(driver.findOrThrow(function), type)
                    .invokeWithArguments(argument);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("a function of the driver threw: function=" + function, e);
        }
    }
}
