package io.reactivecomm;

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
        Objects.requireNonNull(code, () -> "a kernel has no code: entry=" + entry + "; give the text that the driver compiles");
        Objects.requireNonNull(entry, "a kernel has no name; give that of a function in the code");
    }

    @Override
    public String toString() {
        return entry;
    }
}
