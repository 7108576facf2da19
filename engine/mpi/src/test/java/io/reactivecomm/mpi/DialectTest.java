package io.reactivecomm.mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivecomm.testkit.Gcc;
import io.reactivecomm.testkit.NeedsGcc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The constants of the dialects, beside those that a C compiler takes from an installed {@code mpi.h}; where none is installed, one line says so. */
@ExtendWith(NeedsGcc.class)
class DialectTest {

    private static final Path OF_OPEN_MPI = Path.of("/usr/lib/x86_64-linux-gnu/openmpi/include");
    private static final Path OF_MPICH = Path.of("/usr/include/x86_64-linux-gnu/mpich");

    @TempDir
    private Path folder;

    private static void requireInstalled(Path include, String what) {
        boolean isThere = Files.exists(include.resolve("mpi.h"));
        if (!isThere) {
            System.err.println("the constants of " + what + " are not compared: there is no " + include
                    + "/mpi.h; install lib" + what + "-dev");
        }
        assumeTrue(isThere);
    }

    /** {@return the name that {@code mpi.h} has} */
    private static String nameOf(Constant constant) {
        return switch (constant) {
            case UINT16, INT8, UINT8, INT32, UINT32, INT64, UINT64 -> "MPI_" + constant + "_T";
            default -> "MPI_" + constant;
        };
    }

    /** {@return what the compiler makes of each expression} Nothing is linked: what they are is read from the program's text after the preprocessor. */
    private Map<String, String> expanded(Path include, List<String> expressions) throws IOException {
        Path source = folder.resolve("names.c");
        String text = expressions.stream()
                .map(each -> "RCOMM|" + expressions.indexOf(each) + "|" + each)
                .collect(Collectors.joining("\n"));
        Files.writeString(source, "#include <mpi.h>\n" + text + "\n");
        String output = Gcc.run(List.of("gcc", "-E", "-P", "-I" + include, source.toString()));
        Map<String, String> found = new HashMap<>();
        for (String line :
                output.lines().filter(each -> each.startsWith("RCOMM|")).toList()) {
            String[] parts = line.split("\\|", 3);
            found.put(expressions.get(Integer.parseInt(parts[1])), parts[2].strip());
        }
        return found;
    }

    /** {@return the numbers that a program prints} */
    private Map<String, Long> printed(Path include, Map<String, String> expressions) throws IOException {
        List<String> lines = new ArrayList<>(List.of("#include <mpi.h>", "#include <stdio.h>", "int main(void) {"));
        expressions.forEach(
                (name, expression) -> lines.add("printf(\"" + name + " %lld\\n\", (long long) " + expression + ");"));
        lines.add("return 0; }");
        Path source = Files.write(folder.resolve("numbers.c"), lines);
        Path program = folder.resolve("numbers");
        Gcc.run(List.of("gcc", "-w", "-I" + include, "-o", program.toString(), source.toString()));
        return Gcc.run(List.of(program.toString()))
                .lines()
                .map(line -> line.split(" "))
                .collect(Collectors.toMap(parts -> parts[0], parts -> Long.valueOf(parts[1])));
    }

    private static Map<String, String> numbersOfAll() {
        return new HashMap<>(Map.of(
                "multiple",
                "MPI_THREAD_MULTIPLE",
                "in-place",
                "(long) MPI_IN_PLACE",
                "ignore",
                "(long) MPI_STATUS_IGNORE",
                "success",
                "MPI_SUCCESS",
                "text",
                "MPI_MAX_ERROR_STRING",
                "version",
                "MPI_MAX_LIBRARY_VERSION_STRING",
                "comm",
                "sizeof(MPI_Comm)",
                "type",
                "sizeof(MPI_Datatype)",
                "request",
                "sizeof(MPI_Request)",
                "group",
                "sizeof(MPI_Group)"));
    }

    private static void requireCommon(Dialect dialect, Map<String, Long> found) {
        assertThat(found)
                .containsEntry("multiple", (long) dialect.threadMultiple())
                .containsEntry("in-place", dialect.inPlace())
                .containsEntry("ignore", dialect.statusIgnore())
                .containsEntry("success", 0L);
        assertThat(List.of(found.get("comm"), found.get("type"), found.get("request"), found.get("group")))
                .containsOnly((long) dialect.handleBytes());
        assertThat(Math.max(found.get("text"), found.get("version")))
                .as("room for texts")
                .isLessThanOrEqualTo(8192);
    }

    @Test
    void mpich_hasTheValuesOfItsHeader() throws IOException {
        requireInstalled(OF_MPICH, "mpich");
        Map<String, String> wanted = numbersOfAll();
        for (Constant constant : Constant.values()) {
            wanted.put(constant.name(), nameOf(constant));
        }

        Map<String, Long> found = printed(OF_MPICH, wanted);

        for (Constant constant : Constant.values()) {
            assertThat(found.get(constant.name()))
                    .as("%s", constant)
                    .isEqualTo(Dialect.MPICH.values().get(constant));
        }
        requireCommon(Dialect.MPICH, found);
    }

    @Test
    void openMpi_hasTheSymbolsOfItsHeader() throws IOException {
        requireInstalled(OF_OPEN_MPI, "openmpi");
        List<String> names =
                List.of(Constant.values()).stream().map(DialectTest::nameOf).toList();

        Map<String, String> found = expanded(OF_OPEN_MPI, names);

        for (Constant constant : Constant.values()) {
            assertThat(found.get(nameOf(constant)))
                    .as("%s", constant)
                    .matches(".*[^a-z0-9_]" + Dialect.OPEN_MPI.symbols().get(constant) + "[^a-z0-9_].*");
        }
        requireCommon(Dialect.OPEN_MPI, printed(OF_OPEN_MPI, numbersOfAll()));
    }

    /** The double's C sources have these values of their own, each as the headers have it: so a wrong one of the engine's is a fault there. */
    @Test
    void constants_areDistinctInEachDialect() {
        assertThat(Dialect.OPEN_MPI.symbols().values()).doesNotHaveDuplicates().hasSize(Constant.values().length);
        assertThat(Dialect.MPICH.values().values()).doesNotHaveDuplicates().hasSize(Constant.values().length);
        assertThat(Dialect.STANDARD.values().values()).doesNotHaveDuplicates().hasSize(Constant.values().length);
    }
}
