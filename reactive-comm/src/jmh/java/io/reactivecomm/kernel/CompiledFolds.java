package io.reactivecomm.kernel;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.reactivecomm.DType;
import io.reactivecomm.ReduceOp;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The loops of {@code folds.c}, compiled on the machine that they run on: {@code cc -O3 -march=native}, into a directory that is deleted
 * once the library is loaded.
 */
final class CompiledFolds {

    private static final String SOURCE = "folds.c";
    private static final String LIBRARY = "folds.so";
    private static final String[] COMPILE = {"cc", "-O3", "-march=native", "-shared", "-fPIC", "-o", LIBRARY, SOURCE};

    private final SymbolLookup symbols;

    private CompiledFolds(SymbolLookup symbols) {
        this.symbols = symbols;
    }

    /** One loop for one type, operation and number of operands. */
    @FunctionalInterface
    interface Loop {
        void fold(MemorySegment target, MemorySegment[] sources, long count, int divisor) throws Throwable;
    }

    /** {@return the loops, for as long as the arena lives; none, and a line on the console that says why, without a compiler} */
    static Optional<CompiledFolds> compiled(Arena arena) throws InterruptedException {
        try {
            Path directory = Files.createTempDirectory("folds");
            try {
                compile(directory);
                return Optional.of(new CompiledFolds(SymbolLookup.libraryLookup(directory.resolve(LIBRARY), arena)));
            } finally {
                Files.deleteIfExists(directory.resolve(SOURCE));
                Files.deleteIfExists(directory.resolve(LIBRARY));
                Files.delete(directory);
            }
        } catch (IOException e) {
            System.out.println("No C beside it: " + String.join(" ", COMPILE) + " failed: " + e.getMessage() + "; install a C compiler as cc");
            return Optional.empty();
        }
    }

    private static void compile(Path directory) throws IOException, InterruptedException {
        try (InputStream source = Objects.requireNonNull(CompiledFolds.class.getResourceAsStream(SOURCE))) {
            Files.copy(source, directory.resolve(SOURCE));
        }
        Process compiler = new ProcessBuilder(COMPILE).directory(directory.toFile()).inheritIO().start();
        if (!compiler.waitFor(1, TimeUnit.MINUTES)) {
            compiler.destroyForcibly();
            throw new IOException("it took over a minute");
        }
        if (compiler.exitValue() != 0) {
            throw new IOException("exit status " + compiler.exitValue());
        }
    }

    /** {@return the loop, if the compiler knows the type, as not all know 16-bit floats} */
    Optional<Loop> loop(DType type, ReduceOp op, int operands) {
        String name = (type + "_" + op + "_" + operands).toLowerCase(Locale.ROOT);
        MemoryLayout[] parameters = new MemoryLayout[operands + 3];
        Arrays.fill(parameters, ADDRESS);
        parameters[operands + 1] = JAVA_LONG;
        parameters[operands + 2] = JAVA_INT;
        return symbols.find(name).map(symbol -> {
            MethodHandle handle = Linker.nativeLinker().downcallHandle(symbol, FunctionDescriptor.ofVoid(parameters));
            MethodHandle spread = handle.asSpreader(1, MemorySegment[].class, operands);
            return (target, sources, count, divisor) -> { spread.invokeExact(target, sources, count, divisor); };
        });
    }
}
