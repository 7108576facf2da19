package io.reactivecomm.nccl;

import io.reactivecomm.CommConfig;
import io.reactivecomm.CommException;
import io.reactivecomm.UnsupportedCollectiveException;
import io.reactivecomm.spi.NativeAccess;
import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A shared library that speaks as NCCL does, loaded into this process, and the dialect that it speaks. It stays loaded.
 *
 * <p>It is looked for where the system property {@code rcomm.nccl.library} says, else the variable RCOMM_NCCL_LIBRARY, a path or a name; else by the
 * names of all dialects. Its dialect is found from its functions, and RCCL's from its name, as the functions are NCCL's.
 *
 * <p><b>Threads.</b> Any.
 */
final class NcclLibrary {

    /** The variable that names the library, and the property, which wins. */
    static final String VARIABLE = "RCOMM_NCCL_LIBRARY";

    static final String PROPERTY = "rcomm.nccl.library";

    private static final Linker LINKER = Linker.nativeLinker();

    private final String name;
    private final NcclDialect dialect;
    private final SymbolLookup symbols;
    private final ConcurrentHashMap<NcclFunction, Optional<MethodHandle>> found = new ConcurrentHashMap<>();

    private NcclLibrary(String name, NcclDialect dialect, SymbolLookup symbols) {
        this.name = name;
        this.dialect = dialect;
        this.symbols = symbols;
    }

    /**
     * {@return the library of this process}
     *
     * @throws UnsupportedCollectiveException if there is none, it is no NCCL, or functions are missing that are required
     */
    static NcclLibrary open(Map<String, String> environment) {
        return open(environment, NcclDialect.ALL);
    }

    /**
     * {@return the library of this process, of one dialect}
     *
     * @throws UnsupportedCollectiveException as the other, and if the one that is named has another dialect
     */
    static NcclLibrary open(Map<String, String> environment, NcclDialect dialect) {
        NcclLibrary library = open(environment, List.of(dialect));
        if (!library.dialect.equals(dialect)) {
            throw new UnsupportedCollectiveException("a library is none of " + dialect.label() + ": library="
                    + library.name + ", dialect=" + library.dialect.label() + "; name another by " + VARIABLE);
        }
        return library;
    }

    private static NcclLibrary open(Map<String, String> environment, List<NcclDialect> dialects) {
        String asked = System.getProperty(
                        PROPERTY, CommConfig.settings(environment).getOrDefault(VARIABLE, ""))
                .trim();
        return asked.isEmpty() ? any(dialects) : named(asked);
    }

    /** {@return a library by its path or name, whatever this process is told} */
    static NcclLibrary named(String name) {
        return first(List.of(name), true);
    }

    private static NcclLibrary any(List<NcclDialect> dialects) {
        return first(
                dialects.stream()
                        .flatMap(dialect -> dialect.libraries().stream())
                        .toList(),
                false);
    }

    private static NcclLibrary first(List<String> names, boolean isAsked) {
        List<String> reasons = new ArrayList<>();
        for (String name : names) {
            Optional<SymbolLookup> symbols = load(name, reasons);
            if (symbols.isPresent()) {
                return checked(name, symbols.get());
            }
        }
        String reason = isAsked ? ", reason=" + reasons.getFirst() : "";
        throw new UnsupportedCollectiveException("no library of NCCL can be loaded: tried=" + names + reason
                + "; install NCCL (on Debian libnccl2), RCCL or oneCCL, or name its shared library by " + VARIABLE);
    }

    private static Optional<SymbolLookup> load(String name, List<String> reasons) {
        try {
            Path path = Path.of(name);
            SymbolLookup symbols = path.getNameCount() > 1
                    ? SymbolLookup.libraryLookup(path, Arena.global())
                    : SymbolLookup.libraryLookup(name, Arena.global());
            return Optional.of(symbols);
        } catch (IllegalArgumentException e) {
            reasons.add(CommException.textOf(e));
            return Optional.empty();
        } catch (IllegalCallerException e) {
            throw new UnsupportedCollectiveException("NCCL cannot be called: cause=" + NativeAccess.reason(e), e);
        }
    }

    private static NcclLibrary checked(String name, SymbolLookup symbols) {
        NcclLibrary library = new NcclLibrary(name, dialectOf(name, symbols), symbols);
        List<String> missing = Arrays.stream(NcclFunction.values())
                .filter(function -> function.isRequired() && !library.has(function))
                .map(library.dialect::name)
                .toList();
        if (!missing.isEmpty()) {
            throw new UnsupportedCollectiveException(
                    "a library is too old, or none of " + library.dialect.label() + ": library=" + name + ", missing="
                            + missing + "; install a newer one (NCCL 2.7 or later), or name another by " + VARIABLE);
        }
        return library;
    }

    private static NcclDialect dialectOf(String name, SymbolLookup symbols) {
        for (NcclDialect dialect : List.of(NcclDialect.NCCL, NcclDialect.ONECCL)) {
            if (symbols.find(dialect.name(NcclFunction.GET_VERSION)).isPresent()) {
                boolean isAmds = dialect == NcclDialect.NCCL
                        && String.valueOf(Path.of(name).getFileName()).contains("rccl");
                return isAmds ? NcclDialect.RCCL : dialect;
            }
        }
        throw new UnsupportedCollectiveException("a library is no NCCL, RCCL or oneCCL: library=" + name + ", missing="
                + NcclDialect.NCCL.name(NcclFunction.GET_VERSION)
                + "; name another by " + VARIABLE);
    }

    /** {@return what it was loaded by: a path, or a name} */
    String name() {
        return name;
    }

    NcclDialect dialect() {
        return dialect;
    }

    /** {@return whether it has a function, and the function does more than fail} */
    boolean has(NcclFunction function) {
        return find(function).isPresent();
    }

    /**
     * {@return a function; a number of ranks is an int in each dialect}
     *
     * @throws UnsupportedCollectiveException if the library has none
     */
    MethodHandle function(NcclFunction function) {
        return find(function)
                .orElseThrow(() ->
                        new UnsupportedCollectiveException("a function is not in the library of " + dialect.label()
                                + ": library=" + name
                                + ", missing=" + dialect.name(function) + "; install a newer one, or name another by "
                                + VARIABLE));
    }

    private Optional<MethodHandle> find(NcclFunction function) {
        Optional<MethodHandle> known = found.get(function);
        return known != null ? known : found.computeIfAbsent(function, this::lookUp);
    }

    private Optional<MethodHandle> lookUp(NcclFunction function) {
        return address(function).map(at -> countingInInts(handle(at, function), function));
    }

    /** {@return where a function is that each library has, for {@link PlainCalls}} */
    MemorySegment requiredAddress(NcclFunction function) {
        return address(function).orElseThrow();
    }

    private Optional<MemorySegment> address(NcclFunction function) {
        return dialect.symbols(function).stream()
                .flatMap(symbol -> symbols.find(symbol).stream())
                .findFirst();
    }

    private MethodHandle handle(MemorySegment at, NcclFunction function) {
        boolean isLarge = function.takesId() && dialect.idBytes() > LargeIdCall.MOST_BYTES_BY_VALUE;
        return isLarge
                ? LargeIdCall.of(
                        at,
                        function == NcclFunction.COMM_INIT_RANK_CONFIG,
                        dialect.idBytes(),
                        System.getProperty("os.arch"))
                : LINKER.downcallHandle(at, function.descriptor(dialect));
    }

    /** The one parameter whose width differs between dialects comes second. */
    private MethodHandle countingInInts(MethodHandle handle, NcclFunction function) {
        MethodType type = handle.type();
        return function.takesId() && dialect.countsRanksInLong()
                ? handle.asType(type.changeParameterType(1, int.class))
                : handle;
    }
}
