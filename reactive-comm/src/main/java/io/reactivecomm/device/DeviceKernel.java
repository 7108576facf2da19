package io.reactivecomm.device;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * A function that devices of one kind run, on many threads at once.
 *
 * <p>It takes one argument, a structure by value, whose fields {@link KernelLaunch} writes as C lays them out. For CUDA that is an {@code .entry} of PTX.
 *
 * @param code the text that the devices' driver compiles; the same text is compiled once for each device
 * @param entry the name of the function in it
 */
public record DeviceKernel(String code, String entry) {

    public DeviceKernel {
        Objects.requireNonNull(
                code, () -> "a kernel has no code: entry=" + entry + "; give the text that the driver compiles");
        Objects.requireNonNull(entry, "a kernel has no name; give that of a function in the code");
    }

    /**
     * {@return the text of a resource, for kernels that a module ships}
     *
     * @param beside the class in whose package it is
     * @throws IllegalStateException if it is not there
     */
    public static String text(Class<?> beside, String resource) {
        Objects.requireNonNull(beside, "beside");
        Objects.requireNonNull(resource, "resource");
        try (InputStream text = beside.getResourceAsStream(resource)) {
            if (text == null) {
                throw new IllegalStateException("the code of kernels is missing: resource=" + resource + ", package="
                        + beside.getPackageName() + "; take the module's whole jar");
            }
            return new String(text.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("the code of kernels cannot be read: resource=" + resource, e);
        }
    }

    @Override
    public String toString() {
        return entry;
    }
}
