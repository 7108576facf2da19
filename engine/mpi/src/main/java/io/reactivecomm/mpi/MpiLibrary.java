package io.reactivecomm.mpi;

import io.reactivecomm.CommConfig;
import io.reactivecomm.UnsupportedCollectiveException;
import io.reactivecomm.spi.NativeAccess;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A shared library that implements MPI, loaded into this process, and the dialect that it speaks. It stays loaded: MPI cannot be begun twice.
 *
 * <p>It is looked for where the system property {@code rcomm.mpi.library} says, else the variable RCOMM_MPI_LIBRARY, a path or a name; else by the names of the
 * implementation whose launcher has started this process; else by those of all.
 *
 * <p><b>Threads.</b> Any.
 */
final class MpiLibrary {

    /** The variable that names the library, and the property, which wins. */
    static final String VARIABLE = "RCOMM_MPI_LIBRARY";

    static final String PROPERTY = "rcomm.mpi.library";

    private static final Linker LINKER = Linker.nativeLinker();

    private final String name;
    private final Dialect dialect;
    private final SymbolLookup symbols;
    private final Map<Constant, Long> constants = new ConcurrentHashMap<>();

    private MpiLibrary(String name, Dialect dialect, SymbolLookup symbols) {
        this.name = name;
        this.dialect = dialect;
        this.symbols = symbols;
    }

    /**
     * {@return the library of this process}
     *
     * @throws UnsupportedCollectiveException if no library is found, it is not one of MPI, or this JVM denies native access
     */
    static MpiLibrary open(Map<String, String> environment) {
        try {
            return find(environment);
        } catch (IllegalCallerException e) {
            throw new UnsupportedCollectiveException("MPI cannot be called: cause=" + NativeAccess.reason(e), e);
        }
    }

    private static MpiLibrary find(Map<String, String> environment) {
        keepSignals();
        String asked = System.getProperty(
                        PROPERTY, CommConfig.settings(environment).getOrDefault(VARIABLE, ""))
                .trim();
        List<String> names = asked.isEmpty() ? names(environment) : List.of(asked);
        for (String name : names) {
            Optional<SymbolLookup> found = load(name);
            if (found.isPresent()) {
                return new MpiLibrary(name, dialectOf(name, found.get()), found.get());
            }
        }
        throw new UnsupportedCollectiveException("no library of MPI can be loaded: tried=" + names
                + "; install Open MPI or MPICH (on Debian openmpi-bin or mpich), or" + " name its libmpi.so by "
                + VARIABLE);
    }

    /** MPICH's and Open MPI's UCX takes the signals by which the JVM checks for null; it looks at this variable when it is loaded. */
    private static void keepSignals() {
        try (Arena arena = Arena.ofConfined()) {
            MethodHandle setenv = LINKER.downcallHandle(
                    LINKER.defaultLookup().findOrThrow("setenv"),
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
            int code = (int) setenv.invokeExact(arena.allocateFrom("UCX_ERROR_SIGNALS"), arena.allocateFrom(""), 1);
            if (code != 0) {
                throw new IllegalStateException("setenv failed: variable=UCX_ERROR_SIGNALS, code=" + code);
            }
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("a native function threw: function=setenv", e);
        }
    }

    /** {@return the names of what this process was started by first} */
    private static List<String> names(Map<String, String> environment) {
        boolean isOpenMpi = environment.containsKey("OMPI_COMM_WORLD_RANK");
        boolean isHydra = !isOpenMpi && environment.containsKey("PMI_RANK");
        List<Dialect> dialects = new ArrayList<>(Dialect.ALL);
        if (isHydra) {
            dialects.remove(Dialect.MPICH);
            dialects.addFirst(Dialect.MPICH);
        }
        return dialects.stream()
                .flatMap(dialect -> dialect.libraries().stream())
                .distinct()
                .toList();
    }

    private static Optional<SymbolLookup> load(String name) {
        try {
            Path path = Path.of(name);
            SymbolLookup symbols = path.getNameCount() > 1
                    ? SymbolLookup.libraryLookup(path, Arena.global())
                    : SymbolLookup.libraryLookup(name, Arena.global());
            return Optional.of(symbols);
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static Dialect dialectOf(String name, SymbolLookup symbols) {
        if (symbols.find("MPI_Init_thread").isEmpty()) {
            throw new UnsupportedCollectiveException("a library is none of MPI's: library=" + name
                    + ", missing=MPI_Init_thread; name another by " + VARIABLE);
        }
        if (String.valueOf(Path.of(name).getFileName()).contains("mpi_abi")) {
            return Dialect.STANDARD;
        }
        return symbols.find("ompi_mpi_comm_world").isPresent() ? Dialect.OPEN_MPI : Dialect.MPICH;
    }

    /** {@return what it was loaded by: a path, or a name} */
    String name() {
        return name;
    }

    Dialect dialect() {
        return dialect;
    }

    /** {@return the value of a constant, for an argument} */
    long constant(Constant constant) {
        return constants.computeIfAbsent(constant, this::value);
    }

    private long value(Constant constant) {
        String symbol = dialect.symbols().get(constant);
        if (symbol == null) {
            return Objects.requireNonNull(dialect.values().get(constant), "a dialect has each constant");
        }
        return symbols.find(symbol).orElseThrow(() -> missing(symbol)).address();
    }

    /** {@return a function of an int, with those parameters} */
    MethodHandle function(String function, MemoryLayout... parameters) {
        return LINKER.downcallHandle(
                symbols.find(function).orElseThrow(() -> missing(function)),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, parameters));
    }

    /** {@return a function of an int without parameters that not every library has} */
    Optional<MethodHandle> extension(String function) {
        return symbols.find(function)
                .map(address -> LINKER.downcallHandle(address, FunctionDescriptor.of(ValueLayout.JAVA_INT)));
    }

    private UnsupportedCollectiveException missing(String symbol) {
        return new UnsupportedCollectiveException(
                "a library of MPI is too old, or none of " + dialect.label() + ": library=" + name + ", missing="
                        + symbol + "; install a newer one (MPI 3.1 or later), or name another by " + VARIABLE);
    }
}
