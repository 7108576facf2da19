package io.reactivecomm.rcomm;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import io.reactivecomm.testkit.house.HouseRules;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import jdk.jfr.Name;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The test of the names that users write in scripts, dashboards and jars against the committed list: a name changes only together with the list. The
 * test writes the current names to {@code target/names.txt}.
 */
class NamesTest {

    private static final Path HOUSE = Path.of("..", "..");

    private static final Path LIST = HOUSE.resolve("docs").resolve("names.txt");

    private static final String SERVICES = "src/main/resources/META-INF/services";

    private static final Pattern VARIABLE = Pattern.compile("\\bRCOMM_[A-Z][A-Z_]*[A-Z]\\b");

    private static final Pattern SIGNAL = Pattern.compile("\"(rcomm(?:\\.[a-z]+)+)\"");

    @Test
    void names_matchTheList() throws IOException {
        String names = String.join(
                "\n",
                section("variables", variables()),
                section("options of rcomm", options(Rcomm.commandLine().getCommandSpec())),
                section("events of the flight recorder", events()),
                section("meters, tags, properties and keys of logs", found(SIGNAL, ".java")),
                section("services", services().map(Service::toString)));
        Files.createDirectories(Path.of("target"));
        Files.writeString(Path.of("target", "names.txt"), names);

        assertThat(names).isEqualTo(Files.readString(LIST));
    }

    private static String section(String title, Stream<String> names) {
        return "[" + title + "]\n" + String.join("\n", names.toList()) + "\n";
    }

    private static Stream<String> variables() throws IOException {
        // The script that starts the command reads some variables.
        return Stream.concat(found(VARIABLE, ".java"), matches(VARIABLE, HOUSE.resolve("rcomm")))
                .distinct()
                .sorted();
    }

    private static Stream<String> found(Pattern pattern, String suffix) throws IOException {
        TreeSet<String> found = new TreeSet<>();
        for (String module : HouseRulesTest.modules()) {
            for (Path file : files(HOUSE.resolve(module).resolve("src/main/java"), suffix)) {
                found.addAll(matches(pattern, file).toList());
            }
        }
        return found.stream();
    }

    private static List<Path> files(Path folder, String suffix) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(suffix)).toList();
        }
    }

    private static Stream<String> matches(Pattern pattern, Path file) throws IOException {
        return pattern.matcher(Files.readString(file)).results().map(NamesTest::named).toList().stream();
    }

    private static String named(MatchResult match) {
        return match.group(match.groupCount());
    }

    private static Stream<String> options(CommandSpec command) {
        Stream<String> own = Stream.concat(
                command.options().stream()
                        .filter(option -> !option.inherited())
                        .map(option -> String.join(", ", option.names())),
                command.positionalParameters().stream().map(each -> each.paramLabel()));
        Stream<String> nested = command.subcommands().values().stream()
                .map(CommandLine::getCommandSpec)
                .sorted(Comparator.comparing(CommandSpec::name))
                .flatMap(NamesTest::options);
        return Stream.concat(own.sorted().map(name -> command.qualifiedName() + " " + name), nested);
    }

    private static Stream<String> events() {
        return HouseRules.production().stream()
                .filter(type -> type.isAnnotatedWith(Name.class) && type.isAssignableTo(jdk.jfr.Event.class))
                .map(type -> type.getAnnotationOfType(Name.class).value() + ": " + String.join(", ", fields(type)))
                .sorted();
    }

    private static List<String> fields(JavaClass event) {
        return event.getAllFields().stream()
                .filter(field -> field.getOwner().getPackageName().startsWith("io.reactivecomm."))
                .filter(field -> !field.getModifiers().contains(JavaModifier.STATIC))
                .filter(field -> !field.getModifiers().contains(JavaModifier.TRANSIENT))
                .map(JavaField::getName)
                .sorted()
                .toList();
    }

    /** An implementation of a service in a jar of the project. */
    record Service(String type, String implementation) {

        @Override
        public String toString() {
            return type + ": " + implementation;
        }
    }

    static Stream<Service> services() throws IOException {
        List<Service> all = new ArrayList<>();
        for (String module : HouseRulesTest.modules()) {
            Path folder = HOUSE.resolve(module).resolve(SERVICES);
            for (Path file : Files.isDirectory(folder) ? files(folder, "") : List.<Path>of()) {
                if (Files.isRegularFile(file)) {
                    Files.readAllLines(file).stream()
                            .filter(line -> !line.isBlank() && !line.startsWith("#"))
                            .forEach(line ->
                                    all.add(new Service(file.getFileName().toString(), line.strip())));
                }
            }
        }
        return all.stream().sorted(Comparator.comparing(Service::toString));
    }

    /** With a stale name, a transport would be missing without an error. */
    @ParameterizedTest
    @MethodSource("services")
    void service_isFound(Service service) throws ClassNotFoundException {
        ServiceLoader<?> loader = ServiceLoader.load(Class.forName(service.type()));

        assertThat(loader.stream().map(provider -> provider.type().getName())).contains(service.implementation());
    }

    /** Two jars with the same package cannot both be modules. */
    @Test
    void eachPackage_isInOneModule() throws IOException {
        TreeMap<String, TreeSet<String>> modules = new TreeMap<>();
        for (String module : HouseRulesTest.modules()) {
            Path sources = HOUSE.resolve(module).resolve("src/main/java");
            for (Path file : files(sources, ".java")) {
                String folder = sources.relativize(file.getParent()).toString();
                modules.computeIfAbsent(folder.replace('/', '.'), ignored -> new TreeSet<>())
                        .add(module);
            }
        }
        assertThat(modules)
                .isNotEmpty()
                .allSatisfy((name, where) -> assertThat(where).as(name).hasSize(1));
    }
}
