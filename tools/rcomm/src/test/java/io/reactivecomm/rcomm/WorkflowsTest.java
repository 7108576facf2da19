package io.reactivecomm.rcomm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * The tests of the workflows and issue forms in {@code .github} against GitHub's documented syntax: known keys, required keys and references. The
 * workflows themselves run only on GitHub.
 */
class WorkflowsTest {

    private static final Path HOUSE = Path.of("..", "..");

    private static final Path GITHUB = HOUSE.resolve(".github");

    private static final Set<String> EVENTS = Set.of("push", "pull_request", "schedule", "workflow_dispatch");

    private static final Set<String> OF_WORKFLOW =
            Set.of("name", "on", "permissions", "concurrency", "env", "defaults", "jobs");

    private static final Set<String> OF_JOB = Set.of(
            "name",
            "needs",
            "if",
            "permissions",
            "environment",
            "env",
            "strategy",
            "runs-on",
            "timeout-minutes",
            "steps");

    private static final Set<String> OF_STEP =
            Set.of("id", "name", "if", "uses", "with", "run", "env", "shell", "working-directory", "timeout-minutes");

    private static final Pattern ACTION = Pattern.compile("[\\w-]+(/[\\w.-]+)+@v\\d+(\\.\\d+)*");

    private static final String INSTALL_MPI = "sudo apt-get install --yes --no-install-recommends openmpi-bin";

    private static final Pattern EXPRESSION = Pattern.compile("\\$\\{\\{\\s*([\\w.-]+)\\s*}}");

    static List<Path> workflows() throws IOException {
        return files("workflows");
    }

    static List<Path> forms() throws IOException {
        return files("ISSUE_TEMPLATE").stream()
                .filter(file -> !file.endsWith("config.yml"))
                .toList();
    }

    private static List<Path> files(String folder) throws IOException {
        try (Stream<Path> files = Files.list(GITHUB.resolve(folder))) {
            return files.sorted().toList();
        }
    }

    @Test
    void workflows_areThere() throws IOException {
        assertThat(workflows().stream().map(file -> file.getFileName().toString()))
                .containsExactly("build.yml", "codeql.yml", "docs.yml", "release.yml", "thorough.yml");
    }

    @ParameterizedTest
    @MethodSource("workflows")
    void workflow_keepsTheSyntax(Path file) throws IOException {
        Map<String, Object> workflow = read(file);

        assertThat(OF_WORKFLOW).containsAll(workflow.keySet());
        assertThat(EVENTS).containsAll(map(workflow.get("on")).keySet());
        assertThat(map(workflow.get("jobs"))).isNotEmpty().allSatisfy((name, job) -> requireJob(map(job)));
    }

    private static void requireJob(Map<String, Object> job) {
        assertThat(OF_JOB).containsAll(job.keySet());
        assertThat(job).containsKeys("runs-on", "steps", "timeout-minutes");
        Map<String, Object> matrix =
                job.containsKey("strategy") ? map(map(job.get("strategy")).get("matrix")) : Map.of();
        assertThat(texts(job)
                        .flatMap(text -> EXPRESSION.matcher(text).results())
                        .map(match -> match.group(1)))
                .allMatch(
                        name -> !name.startsWith("matrix.") || matrix.containsKey(name.substring("matrix.".length())));
        assertThat(list(job.get("steps"))).isNotEmpty().allSatisfy(step -> requireStep(map(step)));
    }

    private static void requireStep(Map<String, Object> step) {
        assertThat(OF_STEP).containsAll(step.keySet());
        assertThat(step.containsKey("uses")).as("one of uses and run: %s", step).isNotEqualTo(step.containsKey("run"));
        if (step.get("uses") instanceof String action) {
            assertThat(action).matches(ACTION);
        } else {
            String program = program(step.get("run").toString());
            if (!program.equals("apt-get")) {
                assertThat(HOUSE.resolve(program)).as("script of the step").isExecutable();
            }
        }
    }

    /** Without an MPI the tests of MPI jobs are skipped. */
    @Test
    void workflowsThatRunTests_installMpiFirst() throws IOException {
        for (String name : List.of("build.yml", "release.yml", "thorough.yml")) {
            List<String> lines = lines(GITHUB.resolve("workflows").resolve(name));
            String tests = lines.stream()
                    .filter(line -> line.equals(".ci/run") || line.contains(" verify"))
                    .findFirst()
                    .orElseThrow();
            assertThat(lines).as(name).containsSubsequence(INSTALL_MPI, tests);
        }
    }

    /** {@return the commands of a workflow that has one job} */
    private static List<String> lines(Path file) throws IOException {
        Object job = map(read(file).get("jobs")).values().iterator().next();
        return list(map(job).get("steps")).stream()
                .map(step -> String.valueOf(map(step).get("run")))
                .toList();
    }

    /** {@return the program that a line runs, without sudo and its options} */
    private static String program(String line) {
        return Stream.of(line.split(" "))
                .filter(word -> !word.equals("sudo") && !word.startsWith("--"))
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @MethodSource("forms")
    void form_hasAnIdForEachField(Path file) throws IOException {
        Map<String, Object> form = read(file);

        assertThat(form).containsKeys("name", "description", "body");
        List<Object> fields = new ArrayList<>();
        for (Object field : list(form.get("body"))) {
            assertThat(map(field)).containsKeys("type", "id", "attributes");
            assertThat(map(map(field).get("attributes"))).containsKey("label");
            fields.add(map(field).get("id"));
        }
        assertThat(fields).isNotEmpty().doesNotHaveDuplicates();
    }

    @Test
    void dependabot_watchesLibrariesAndActions() throws IOException {
        Map<String, Object> settings = read(GITHUB.resolve("dependabot.yml"));

        assertThat(settings).containsEntry("version", 2);
        assertThat(list(settings.get("updates")).stream().map(each -> map(each).get("package-ecosystem")))
                .containsExactly("maven", "github-actions");
        assertThat(list(settings.get("updates")))
                .allSatisfy(each -> assertThat(map(each)).containsKeys("directory", "schedule"));
    }

    private static Map<String, Object> read(Path file) throws IOException {
        return map(new Load(LoadSettings.builder().setLabel(file.toString()).build())
                .loadFromString(Files.readString(file)));
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Object node) {
        assertThat(node).isInstanceOf(Map.class);
        return (Map<String, Object>) node;
    }

    private static List<Object> list(Object node) {
        assertThat(node).isInstanceOf(List.class);
        return new ArrayList<>((Collection<?>) node);
    }

    private static Stream<String> texts(Object node) {
        return switch (node) {
            case Map<?, ?> map -> map.values().stream().flatMap(WorkflowsTest::texts);
            case List<?> list -> list.stream().flatMap(WorkflowsTest::texts);
            default -> Stream.of(String.valueOf(node));
        };
    }
}
