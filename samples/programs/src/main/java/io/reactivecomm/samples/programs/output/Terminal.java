package io.reactivecomm.samples.programs.output;

import java.io.Console;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/** The question whether somebody reads a stream of this process as it is written, by the system's {@code isatty}. */
public enum Terminal {
    /** Standard output. */
    OUT(1),
    /** Standard error. */
    ERR(2);

    private final int descriptor;

    Terminal(int descriptor) {
        this.descriptor = descriptor;
    }

    /** {@return whether the stream goes to a terminal} Where {@code isatty} cannot be called, whether all of this process's streams do. */
    public boolean isThere() {
        Linker linker = Linker.nativeLinker();
        Optional<MemorySegment> function = linker.defaultLookup().find("isatty");
        if (function.isEmpty()) {
            return isConsole();
        }
        try {
            MethodHandle isatty = linker.downcallHandle(
                    function.get(), FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
            return (int) isatty.invokeExact(descriptor) == 1;
        } catch (IllegalCallerException e) {
            return isConsole();
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("isatty threw: descriptor=" + descriptor, e);
        }
    }

    private static boolean isConsole() {
        Console console = System.console();
        return console != null && console.isTerminal();
    }
}
