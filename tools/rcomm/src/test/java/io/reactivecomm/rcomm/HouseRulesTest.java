package io.reactivecomm.rcomm;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchRule;
import io.reactivecomm.testkit.house.HouseRules;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The test of the architecture rules on all modules: only this module has transports, programs and the test kit on one class path. The test
 * kit's own test shows that violations are found. Imported classes are released after these tests.
 */
@TestInstance(Lifecycle.PER_CLASS)
class HouseRulesTest {

    private static final Path HOUSE = Path.of("..", "..");

    private static final String ROOT = "io.reactivecomm.";

    private static final String SOURCES = "src/main/java";

    /** The most public types that programs may see. Lower the number when types go; the goal is 160. */
    private static final int MOST_FOR_PROGRAMS = 183;

    /** The most public types that authors of transports, engines and codecs may see besides those. Lower it when types go; the goal is 80. */
    private static final int MOST_FOR_AUTHORS = 89;

    private static final Pattern FOR_AUTHORS =
            Pattern.compile("io\\.reactivecomm\\.(spi|collective|sequence|kernel)(\\..*)?");

    /** Packages that are internal, or that belong to commands, examples and tests. */
    private static final Pattern FOR_NO_PROGRAM = Pattern.compile(
            "io\\.reactivecomm\\.((.*\\.)?internal|testkit|simulator|samples|rcomm|nccl\\.doubles)(\\..*)?");

    private final JavaClasses production = HouseRules.production();

    static Stream<ArchRule> rules() {
        return HouseRules.all().stream();
    }

    @ParameterizedTest
    @MethodSource("rules")
    void rule_holds(ArchRule rule) {
        rule.check(production);
    }

    /** The rules would miss a module that is not on the class path, and would apply another module's rules to a type in its package. */
    @ParameterizedTest
    @MethodSource("modulesOfEachBuild")
    void typesOfModule_areSeen_inPackagesOfItsName(String module) throws IOException {
        List<String> types = types(module);
        List<String> seen = types.stream().filter(production::contain).toList();

        assertThat(types)
                .as("types of %s", module)
                .hasSizeGreaterThan(5)
                .allMatch(type -> type.startsWith(packages(module)));
        assertThat(seen)
                .as("types of %s that the rules see, %d of %d", module, seen.size(), types.size())
                .containsAll(types);
    }

    @Test
    void modules_areThere() throws IOException {
        assertThat(modules())
                .contains(
                        "reactive-comm",
                        "transport/netty",
                        "transport/shm",
                        "engine/mpi",
                        "testing/doubles",
                        "engine/nccl",
                        "tools/launch",
                        "tools/observability",
                        "testing/testkit",
                        "testing/simulator",
                        "compression",
                        "timing",
                        "integrations/micrometer",
                        "integrations/pytorch",
                        "integrations/spark",
                        "samples/programs",
                        "samples/pytorch",
                        "samples/spark",
                        "tools/rcomm");
    }

    /** {@return the modules that have types} */
    static List<String> modules() throws IOException {
        try (Stream<Path> folders = Files.walk(HOUSE, 2)) {
            return folders.filter(folder -> Files.isDirectory(folder.resolve(SOURCES)))
                    .map(folder -> HOUSE.relativize(folder).toString())
                    .toList();
        }
    }

    /** {@return the modules without those that only a profile builds, which are not on the class path} */
    static List<String> modulesOfEachBuild() throws IOException {
        return modules().stream()
                .filter(module -> module.equals("integrations/micrometer")
                        || !module.startsWith("integrations/")
                                && !module.equals("samples/pytorch")
                                && !module.equals("samples/spark"))
                .toList();
    }

    private static String packages(String module) {
        return switch (module) {
            case "reactive-comm" -> ROOT;
            case "compression", "timing" -> ROOT + module + '.';
            case "integrations/micrometer" -> ROOT + "metrics.";
            case "samples/programs" -> ROOT + "samples.programs.";
            case "testing/doubles" -> ROOT + "nccl.doubles.";
            default -> ROOT + module.substring(module.indexOf('/') + 1) + '.';
        };
    }

    private static List<String> types(String module) throws IOException {
        Path sources = HOUSE.resolve(module).resolve(SOURCES);
        try (Stream<Path> files = Files.walk(sources)) {
            return files.map(file -> sources.relativize(file).toString().replace('/', '.'))
                    .filter(name -> name.endsWith(".java") && !name.endsWith("package-info.java"))
                    .map(name -> name.substring(0, name.length() - ".java".length()))
                    .toList();
        }
    }

    @Test
    void publicTypes_ofPrograms_doNotBecomeMore() {
        assertThat(publicTypes(name -> !FOR_AUTHORS.matcher(name).matches()))
                .as("public types that programs see")
                .hasSizeBetween(100, MOST_FOR_PROGRAMS);
    }

    @Test
    void publicTypes_ofAuthors_doNotBecomeMore() {
        assertThat(publicTypes(name -> FOR_AUTHORS.matcher(name).matches()))
                .as("public types that authors of transports, engines and codecs see")
                .hasSizeBetween(40, MOST_FOR_AUTHORS);
    }

    private List<String> publicTypes(Predicate<String> packages) {
        return production.stream()
                .filter(type -> type.isTopLevelClass() && type.getModifiers().contains(JavaModifier.PUBLIC))
                .filter(type -> !FOR_NO_PROGRAM.matcher(type.getPackageName()).matches())
                .filter(type -> packages.test(type.getPackageName()))
                .map(JavaClass::getName)
                .sorted()
                .toList();
    }

    /** Remove an exception when no type needs it. */
    @Test
    void exceptionsFromTheRuleOfInternals_areNeeded() {
        assertThat(production.stream()
                        .filter(type -> type.getPackageName().startsWith(ROOT + "samples.")
                                || type.getPackageName().startsWith(ROOT + "rcomm."))
                        .filter(HouseRulesTest::namesInternals)
                        .map(JavaClass::getPackageName)
                        .distinct())
                .containsExactlyInAnyOrder(ROOT + "rcomm.plan", ROOT + "rcomm.latency");
    }

    private static boolean namesInternals(JavaClass type) {
        return type.getDirectDependenciesFromSelf().stream()
                .map(Dependency::getTargetClass)
                .anyMatch(named -> named.getPackageName().startsWith(ROOT + "internal."));
    }
}
