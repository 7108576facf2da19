package io.reactivecomm.rcomm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** The tests of {@code -Prelease}: its jars, and its archive where there is no source tree. */
@Tag("thorough")
@Timeout(1800)
class ReleaseTest {

    private static final String JAR = "reactive-comm-rcomm.jar";

    private static final Pattern FENCED = Pattern.compile("```(\\w*)\\n(.*?)```\\n", Pattern.DOTALL);

    private static final Pattern CLASS = Pattern.compile("class (\\w+) ");

    @TempDir
    private Path folder;

    @BeforeAll
    static void build() throws Exception {
        ReleaseBuild.run();
    }

    private static Path archive() throws IOException {
        try (Stream<Path> built = Files.list(ReleaseBuild.TREE.resolve("tools/rcomm/target"))) {
            return built.filter(file -> file.toString().endsWith(".tar.gz"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** {@return the commands between the first fences of a page} */
    private static String firstCommands(Path page) throws IOException {
        return String.join(
                "\n",
                Files.readAllLines(page).stream()
                        .dropWhile(line -> !line.equals("```"))
                        .skip(1)
                        .takeWhile(line -> !line.equals("```"))
                        .toList());
    }

    private static List<Path> jars() throws IOException {
        try (Stream<Path> files = Files.walk(ReleaseBuild.TREE)) {
            return files.filter(file -> file.getParent().endsWith("target")
                            && file.getFileName().toString().matches("reactive-comm.*\\.jar"))
                    .toList();
        }
    }

    @Test
    void jars_haveLicencesSourcesAndDocumentation() throws IOException {
        List<Path> jars = jars();
        for (Path file : jars) {
            try (JarFile jar = new JarFile(file.toFile())) {
                assertThat(jar.getEntry("META-INF/LICENSE")).as(file.toString()).isNotNull();
                assertThat(jar.getEntry("META-INF/NOTICE")).as(file.toString()).isNotNull();
            }
        }
        List<String> names = jars.stream().map(Path::toString).toList();
        assertThat(names.stream().filter(name -> !name.matches(".*-(sources|javadoc)\\.jar")))
                .hasSizeGreaterThan(10)
                .allSatisfy(name -> assertThat(names)
                        .contains(name.replace(".jar", "-sources.jar"), name.replace(".jar", "-javadoc.jar")));
    }

    @Test
    void archive_commandsOfItsPage_trainFourProcesses() throws Exception {
        Files.copy(archive(), folder.resolve(archive().getFileName()));
        String commands = firstCommands(Path.of("src/archive/README.md"));
        assertThat(commands.lines()).hasSize(3);

        assertThat(ReleaseBuild.shell(folder, "", commands)).anyMatch(line -> line.contains("accuracy"));
    }

    @Test
    void archive_aProgramOfItsUser_runsAsFourRanks() throws Exception {
        Path release = unpacked();
        Files.writeString(folder.resolve("Sum.java"), """
                import io.reactivecomm.*;

                class Sum {
                    public static void main(String[] arguments) throws Exception {
                        float sum = ReactiveComm.using(group -> {
                            Tensor tensor = Tensor.of(new float[] {group.rank()});
                            group.allReduce(tensor, ReduceOp.SUM).block();
                            return tensor.toFloatArray()[0];
                        });
                        System.out.println(sum);
                    }
                }
                """);

        assertThat(ReleaseBuild.shell(
                        folder,
                        release.resolve("bin").toString(),
                        "\"$JAVA_HOME\"/bin/javac -cp '" + release + "/lib/*' Sum.java\n"
                                + "rcomm run -n 4 $(rcomm flags) -cp '.:" + release + "/lib/*' Sum"))
                .filteredOn(line -> line.endsWith(" 6.0"))
                .hasSize(4);
    }

    /** COPY is a move; RUN and ENTRYPOINT run in a folder that has nothing else. */
    @Test
    void dockerfile_itsCommands_runInACleanFolder() throws Exception {
        Path release = unpacked();
        List<String> lines = Files.readAllLines(release.resolve("Dockerfile"));
        assertThat(lines).hasSize(6).contains("WORKDIR /opt/rcomm", "COPY . .", "ENV PATH=/opt/rcomm/bin:$PATH");
        Path image = Files.createDirectories(folder.resolve("image/opt")).resolve("rcomm");
        Files.move(release, image, StandardCopyOption.ATOMIC_MOVE);
        List<String> commands = new ArrayList<>();
        for (String line : lines) {
            if (line.startsWith("RUN ")) {
                commands.add(line.substring("RUN ".length()));
            } else if (line.startsWith("ENTRYPOINT ")) {
                commands.add(line.replaceAll("ENTRYPOINT|[\\[\\]\",]", "") + " train --ranks 4");
            }
        }
        assertThat(commands).hasSize(2);

        assertThat(ReleaseBuild.shell(image, image.resolve("bin").toString(), String.join("\n", commands)))
                .anyMatch(line -> line.contains("--enable-native-access=ALL-UNNAMED"))
                .anyMatch(line -> line.contains("accuracy"));
    }

    @Test
    void archive_eachJarOfOthers_isInTheBillOfMaterialsWithALicence() throws Exception {
        Path release = unpacked();
        JsonNode components = new ObjectMapper()
                .readTree(Files.readString(release.resolve("rcomm.cdx.json")))
                .path("components");
        List<String> licensed = components
                .valueStream()
                .filter(each -> !each.path("licenses").isEmpty())
                .map(each -> each.path("name").asString() + "-"
                        + each.path("version").asString())
                .toList();
        try (Stream<Path> lib = Files.list(release.resolve("lib"))) {
            assertThat(lib.map(file -> file.getFileName().toString()))
                    .hasSizeGreaterThan(20)
                    .anyMatch(name -> name.startsWith("logback-classic"))
                    .allSatisfy(name -> assertThat(licensed).anyMatch(name::startsWith));
        }
        assertThat(release.resolve(JAR)).exists();
    }

    /** Each project is built against what the release installed, and runs as two ranks on the archive's command. */
    @ParameterizedTest
    @CsvSource({"maven, mean=0.5", "kotlin, mean=0.5", "spring-boot, ordersOfAll=3.0"})
    void project_builds_andItsRanksAgree(String project, String result) throws Exception {
        Path rcomm = unpacked().resolve("bin");
        Path sources = ReleaseBuild.TREE.resolve("samples/projects").resolve(project);
        ReleaseBuild.maven(sources, "-q", "package");

        String run = "rcomm run -n 2 $(rcomm flags) -jar target/example.jar";
        assertThat(Files.readString(sources.resolve("../README.md"))).contains(run);
        assertThat(ReleaseBuild.shell(sources, rcomm.toString(), run))
                .filteredOn(line -> line.endsWith(result))
                .hasSize(2);
    }

    /** The first commands of docs/tutorial.md, its programs, and those of its commands that need one host and no root. */
    @Test
    void tutorial_itsProgramsAndCommands_run() throws Exception {
        Files.copy(archive(), folder.resolve(archive().getFileName()));
        String page = Files.readString(Path.of("..", "..", "docs", "tutorial.md"));
        List<String> commands = new ArrayList<>();
        for (MatchResult block : FENCED.matcher(page).results().toList()) {
            Matcher type = CLASS.matcher(block.group(2));
            if (block.group(1).equals("java") && type.find()) {
                Files.writeString(folder.resolve(type.group(1) + ".java"), block.group(2));
            } else if (block.group(2).matches("(?s)(tar|\\$\\(rcomm|rcomm run|rcomm train).*")) {
                commands.add(block.group(2));
            }
        }
        assertThat(commands).hasSize(4);

        assertThat(ReleaseBuild.shell(folder, "", String.join("", commands)))
                .contains("[11.0, 22.0, 33.0]", "[0] sum=3.0", "[1] sum=3.0")
                .anyMatch(line -> line.contains("accuracy"));
    }

    /** The runtime that docs/adopt.md describes has what the command needs. */
    @Test
    void jlink_modulesOfThePage_trainFourProcesses() throws Exception {
        String page = Files.readString(Path.of("..", "..", "docs", "adopt.md"));
        String jlink = page.lines()
                .filter(line -> line.startsWith("jlink "))
                .findFirst()
                .orElseThrow();
        String bin = unpacked().resolve("bin").toString();

        assertThat(ReleaseBuild.shell(
                        folder,
                        bin,
                        "\"$JAVA_HOME\"/bin/" + jlink + "; RCOMM_JAVA_HOME=$PWD/runtime rcomm train --ranks 4"))
                .anyMatch(line -> line.contains("accuracy"));
    }

    @Test
    void cache_isUsedByTheJvmItWasRecordedFor_untilAJarChanges() throws Exception {
        Path release = unpacked();
        String bin = release.resolve("bin").toString();
        Path cache = Path.of(ReleaseBuild.shell(folder, bin, "rcomm cache").getLast());
        assertThat(cache).startsWith(folder.resolve(".cache/rcomm")).isRegularFile();
        assertThat(Files.getPosixFilePermissions(cache.getParent()))
                .isEqualTo(PosixFilePermissions.fromString("rwx------"));
        try (Stream<Path> files = Files.list(cache.getParent())) {
            assertThat(files).containsExactly(cache);
        }
        // A shell in Java's place shows the options.
        String shown = "JAVA_HOME=$HOME/shown; mkdir -p shown/bin; cp \"" + System.getProperty("java.home")
                + "/release\" shown/;"
                + " printf '#!/bin/sh\\necho $@\\n' >shown/bin/java; chmod +x shown/bin/java; rcomm ";
        String option = "-XX:AOTCache=" + cache;
        assertThat(ReleaseBuild.shell(folder, bin, shown + "plan --ranks 4"))
                .singleElement()
                .asString()
                .contains(option);
        assertThat(ReleaseBuild.shell(folder, bin, shown + "train --transport local"))
                .singleElement()
                .asString()
                .contains(option);
        assertThat(ReleaseBuild.shell(folder, bin, shown + "train --ranks 4"))
                .singleElement()
                .asString()
                .doesNotContain("AOT");
        assertThat(ReleaseBuild.shell(folder, bin, "rcomm train --transport local --ranks 2 --epochs 1"))
                .noneMatch(line -> line.contains("[error]"));
        try (Stream<Path> lib = Files.list(release.resolve("lib"))) {
            Files.write(lib.findFirst().orElseThrow(), new byte[1], StandardOpenOption.APPEND);
        }
        assertThat(ReleaseBuild.shell(folder, bin, shown + "plan --ranks 4"))
                .singleElement()
                .asString()
                .doesNotContain("AOT");
    }

    @Test
    void compatible_plantedBreak_fails() throws Exception {
        Path planted = ReleaseBuild.TREE.resolve("starter/src/main/java/io/reactivecomm/starter/Planted.java");
        Files.createDirectories(planted.getParent());
        String type = "package io.reactivecomm.starter; public final class Planted { %s }";
        Files.writeString(planted, type.formatted("public static void planted() {}"));
        ReleaseBuild.scripts(
                "git init -q; git add -A; git -c user.name=A -c user.email=a@example.invalid commit -q -m before");
        ReleaseBuild.scripts(".ci/compatible HEAD");

        Files.writeString(planted, type.formatted(""));
        assertThat(ReleaseBuild.scripts(".ci/compatible HEAD && exit 9 || test $? = 1"))
                .anyMatch(line -> line.contains("incompatibility") && line.contains("planted()"));
        Files.delete(planted);
    }

    @Test
    void site_builds_andDeadLinksFailIt() throws Exception {
        ReleaseBuild.scripts("docs/.site/build");
        assertThat(ReleaseBuild.TREE.resolve("target/site/tutorial.html"))
                .content()
                .contains("Two hosts");
        assertThat(ReleaseBuild.TREE.resolve("target/site/reference.html"))
                .content()
                .contains("RCOMM_TOKEN", "Usage: rcomm train", "PeerLostException");
        Path page = ReleaseBuild.TREE.resolve("docs/tutorial.md");
        String text = Files.readString(page);
        for (String dead :
                List.of("[page](no-such-page.md)", "[file](../no-such-file)", "[part](guide.md#no-such-part)")) {
            Files.writeString(page, text + dead + "\n");
            assertThat(ReleaseBuild.scripts("docs/.site/build 2>&1 && echo built || echo not built"))
                    .anyMatch(line -> line.contains("no-such-"))
                    .last()
                    .isEqualTo("not built");
        }
        Files.writeString(page, text);
    }

    private Path unpacked() throws Exception {
        ReleaseBuild.shell(folder, "", "tar xzf '" + archive() + "'");
        try (Stream<Path> children = Files.list(folder)) {
            return children.filter(child -> child.getFileName().toString().startsWith("rcomm-"))
                    .findFirst()
                    .orElseThrow();
        }
    }
}
