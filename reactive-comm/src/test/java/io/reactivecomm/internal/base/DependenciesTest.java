package io.reactivecomm.internal.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The check of libraries' versions, over jars that have nothing but what it reads. */
class DependenciesTest {

    private static final String LIST = "Netty io.netty:netty-common 4.2.4 io/netty/util/Version.class\n";
    private static final String TYPE = "io/netty/util/Version.class";
    private static final String OF_MAVEN = "META-INF/maven/io.netty/netty-common/pom.properties";
    private static final String OF_NETTY = "META-INF/io.netty.versions.properties";
    private static final String MANIFEST = "META-INF/MANIFEST.MF";

    @TempDir
    private Path folder;

    private Path jar(String name, Map<String, String> resources) throws IOException {
        Path path = folder.resolve(name);
        try (OutputStream out = Files.newOutputStream(path);
                JarOutputStream jar = new JarOutputStream(out)) {
            for (Map.Entry<String, String> resource : resources.entrySet()) {
                jar.putNextEntry(new JarEntry(resource.getKey()));
                jar.write(resource.getValue().getBytes(StandardCharsets.UTF_8));
                jar.closeEntry();
            }
        }
        return path;
    }

    private Path netty(String version) throws IOException {
        return jar("netty-common " + version + ".jar", Map.of(TYPE, "", OF_MAVEN, "version=" + version));
    }

    private String complaint(Path... jars) throws IOException {
        Path library = jar("library.jar", Map.of(Dependencies.RESOURCE, LIST));
        URL[] urls = Stream.concat(Stream.of(library), Stream.of(jars))
                .map(DependenciesTest::url)
                .toArray(URL[]::new);
        try (URLClassLoader loader = new URLClassLoader(urls, null)) {
            return Dependencies.check(loader).orElse("");
        }
    }

    private static URL url(Path path) {
        try {
            return path.toUri().toURL();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void check_olderJarFirst_namesVersionsAndPath() throws IOException {
        Path old = netty("4.1.118.Final");
        assertThat(complaint(old, netty("4.2.18.Final")))
                .startsWith("Netty 4.2.4 is needed, 4.1.118.Final is first on the class path: " + old + ";");
    }

    @Test
    void check_newerJarFirst_isFine() throws IOException {
        assertThat(complaint(netty("4.2.18.Final"), netty("4.1.118.Final"))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "4.2.3.Final, true",
        "4.2, true",
        "3.10.6, true",
        "4.2.4.Final, false",
        "4.2.10.Final, false",
        "5.0.0.Alpha1, false",
        "unknown, false"
    })
    void check_comparesNumbers(String version, boolean isTooOld) throws IOException {
        assertThat(complaint(netty(version)).isEmpty()).isEqualTo(!isTooOld);
    }

    @ParameterizedTest
    @CsvSource({
        OF_NETTY + ", netty-common.version=4.1.118.Final, true",
        OF_NETTY + ", netty-buffer.version=4.1.118.Final, false",
        MANIFEST
                + ", 'Manifest-Version: 1.0|Implementation-Title: netty-common|Implementation-Version: 4.1.118.Final|', true",
        MANIFEST + ", 'Manifest-Version: 1.0|Implementation-Title: application|Implementation-Version: 1.0|', false",
        "META-INF/NOTICE, nothing, false"
    })
    void check_jarWithoutMavensProperties_goesByWhatNamesTheLibrary(String resource, String text, boolean isTooOld)
            throws IOException {
        Path jar = jar("netty.jar", Map.of(TYPE, "", resource, text.replace('|', '\n')));
        assertThat(complaint(jar).isEmpty()).isEqualTo(!isTooOld);
    }

    @Test
    void check_severalOldJarsOfOneLibrary_namesTheFirst() throws IOException {
        Path library = jar(
                "several.jar",
                Map.of(Dependencies.RESOURCE, LIST + "\n" + LIST.replace("netty-common", "netty-buffer")));
        Path old = jar("old.jar", Map.of(TYPE, "", OF_NETTY, "netty-common.version=4.1.0\nnetty-buffer.version=4.1.0"));
        try (URLClassLoader loader = new URLClassLoader(new URL[] {url(library), url(old)}, null)) {
            assertThat(Dependencies.check(loader).orElse(""))
                    .containsOnlyOnce("is needed")
                    .contains("Netty 4.2.4 is needed, 4.1.0 is first");
        }
    }

    @Test
    void check_libraryThatIsNotThere_isFine() throws IOException {
        assertThat(complaint()).isEmpty();
    }

    @Test
    void mixture_namesGroupAndVersions() {
        Dependencies.Requirement common = Dependencies.Requirement.of(LIST);
        Dependencies.Jar one = new Dependencies.Jar(common, "4.2.13.Final", "jar:file:/one.jar!/");
        Dependencies.Jar other = new Dependencies.Jar(common, "4.2.18.Final", "jar:file:/other.jar!/");
        assertThat(Dependencies.mixture(List.of(one, other)).orElse(""))
                .contains("group=io.netty", "4.2.13.Final", "4.2.18.Final");
        assertThat(Dependencies.mixture(List.of(one, one))).isEmpty();
    }

    @Test
    void vulnerability_isAWarning_ofASupportedVersion() {
        Dependencies.Requirement common = Dependencies.Requirement.of(LIST.strip() + " 4.2.15");
        Dependencies.Jar supported = new Dependencies.Jar(common, "4.2.13.Final", "jar:file:/one.jar!/");
        assertThat(Dependencies.vulnerability(List.of(supported)).orElse(""))
                .contains("Netty 4.2.13.Final has known vulnerabilities", "first without=4.2.15", "/one.jar");
        assertThat(Dependencies.vulnerability(List.of(
                        new Dependencies.Jar(common, "4.2.15.Final", "jar:file:/new.jar!/"),
                        new Dependencies.Jar(common, "4.2.3.Final", "jar:file:/refused.jar!/"),
                        new Dependencies.Jar(
                                Dependencies.Requirement.of(LIST), "4.2.13.Final", "jar:file:/unknown.jar!/"))))
                .isEmpty();
    }

    @Test
    void fault_ofThisClassPath_isNone_andEachJarIsFound() throws IOException {
        ClassLoader loader = DependenciesTest.class.getClassLoader();
        assertThat(Dependencies.fault()).isEmpty();
        try (Stream<String> lines = new String(
                        loader.getResourceAsStream(Dependencies.RESOURCE).readAllBytes(), StandardCharsets.UTF_8)
                .lines()) {
            assertThat(lines)
                    .hasSize(4)
                    .allSatisfy(
                            line -> assertThat(Dependencies.Requirement.of(line).find(loader))
                                    .isPresent());
        }
    }
}
