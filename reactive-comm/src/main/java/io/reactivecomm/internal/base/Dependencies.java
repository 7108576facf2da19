package io.reactivecomm.internal.base;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URL;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.Attributes;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * A check of the versions of Netty, Reactor and Jackson on the class path. An application's platform may bring older versions. Calls would then fail
 * later, with errors that name neither the library nor its jar.
 *
 * <p>Each module lists its requirements in a resource, with one line per jar: the product's name, group and artifact, the lowest supported version, a
 * class of the jar, and possibly the lowest version without known vulnerabilities. An older supported version is one warning: a platform such as Spark may
 * bring it, and the user cannot choose another. The check finds the jar by that class and reads the version from the jar's resources; it loads no class.
 * A jar without these resources, such as a shaded one, is accepted.
 *
 * <p><b>Threads.</b> Any.
 */
public final class Dependencies {

    static final String RESOURCE = "META-INF/reactive-comm/dependencies";

    private static final Logger LOG = Warnings.of(Dependencies.class);

    private Dependencies() {}

    /** The result for this process, computed once. */
    private static final class Process {

        private static final Optional<String> FAULT = check(Dependencies.class.getClassLoader());
    }

    /** {@return the fault of this library's class path with its remedy, or empty} */
    public static Optional<String> fault() {
        return Process.FAULT;
    }

    static Optional<String> check(ClassLoader loader) {
        try {
            List<Jar> jars = new ArrayList<>();
            for (URL list : Collections.list(loader.getResources(RESOURCE))) {
                new String(read(list), StandardCharsets.UTF_8)
                        .lines()
                        .filter(line -> !line.isBlank())
                        .forEach(line -> Requirement.of(line).find(loader).ifPresent(jars::add));
            }
            mixture(jars).ifPresent(LOG::warn);
            vulnerability(jars).ifPresent(LOG::warn);
            return fault(jars);
        } catch (IOException e) {
            LOG.debug("the versions on the class path cannot be read", e);
            return Optional.empty();
        }
    }

    private static Optional<String> fault(List<Jar> jars) {
        Set<String> named = new HashSet<>();
        List<Jar> old = jars.stream()
                .filter(Jar::isTooOld)
                .filter(jar -> named.add(jar.requirement.group))
                .toList();
        return old.isEmpty()
                ? Optional.empty()
                : Optional.of(old.stream().map(Jar::complaint).collect(Collectors.joining("; "))
                        + "; take the older jar off the class path, or put the newer one before it");
    }

    /** {@return a warning of jars of one group that have several versions} */
    static Optional<String> mixture(List<Jar> jars) {
        Map<String, TreeSet<String>> versions = new TreeMap<>();
        jars.forEach(jar -> versions.computeIfAbsent(jar.requirement.group, group -> new TreeSet<>())
                .add(jar.version));
        return versions.entrySet().stream()
                .filter(group -> group.getValue().size() > 1)
                .findFirst()
                .map(group -> "jars of one library have several versions: group=" + group.getKey() + ", versions="
                        + group.getValue()
                        + "; manage them by reactive-comm-bom, or put all of one version first on the class path");
    }

    /** {@return a warning of the first jar with known vulnerabilities} */
    static Optional<String> vulnerability(List<Jar> jars) {
        return jars.stream()
                .filter(jar -> !jar.isTooOld() && jar.isBelow(jar.requirement.sound))
                .findFirst()
                .map(jar -> jar.requirement.product + " " + jar.version + " has known vulnerabilities: first without="
                        + jar.requirement.sound + ", path=" + jar.path()
                        + "; put a newer version first on the class path, or update the platform that brings it");
    }

    private static byte[] read(URL resource) throws IOException {
        URLConnection connection = resource.openConnection();
        // A cached jar would stay open even after its class loader is closed.
        connection.setUseCaches(false);
        try (InputStream in = connection.getInputStream()) {
            return in.readAllBytes();
        }
    }

    /**
     * A line of the list.
     *
     * @param product the library's display name
     * @param least the lowest supported version
     * @param type a class of the jar, as the name of a resource
     * @param sound the lowest version without known vulnerabilities, or null
     */
    record Requirement(
            String product,
            String group,
            String artifact,
            String least,
            String type,
            @Nullable String sound) {

        static Requirement of(String line) {
            String[] words = line.strip().split("\\s+");
            String[] names = words[1].split(":", 2);
            return new Requirement(
                    words[0], names[0], names[1], words[2], words[3], words.length > 4 ? words[4] : null);
        }

        /** {@return the jar that the class loader uses, if its version can be read} */
        Optional<Jar> find(ClassLoader loader) {
            URL found = loader.getResource(type);
            if (found == null || !found.toString().endsWith(type)) {
                return Optional.empty();
            }
            String root = found.toString().substring(0, found.toString().length() - type.length());
            return Optional.ofNullable(version(root)).map(version -> new Jar(this, version, root));
        }

        private @Nullable String version(String root) {
            String ofMaven = properties(root + "META-INF/maven/" + group + "/" + artifact + "/pom.properties")
                    .getProperty("version");
            if (ofMaven != null) {
                return ofMaven;
            }
            String ofNetty =
                    properties(root + "META-INF/io.netty.versions.properties").getProperty(artifact + ".version");
            return ofNetty != null ? ofNetty : ofManifest(root);
        }

        /** A manifest with another title belongs to an application that contains the library. */
        private @Nullable String ofManifest(String root) {
            try {
                byte[] manifest = read(URI.create(root + "META-INF/MANIFEST.MF").toURL());
                Attributes main = new Manifest(new ByteArrayInputStream(manifest)).getMainAttributes();
                return artifact.equals(main.getValue(Attributes.Name.IMPLEMENTATION_TITLE))
                        ? main.getValue(Attributes.Name.IMPLEMENTATION_VERSION)
                        : null;
            } catch (IOException | IllegalArgumentException e) {
                return null;
            }
        }

        private static Properties properties(String url) {
            Properties properties = new Properties();
            try {
                properties.load(new ByteArrayInputStream(read(URI.create(url).toURL())));
            } catch (IOException | IllegalArgumentException e) {
                LOG.trace("a jar does not have this resource: {}", url, e);
            }
            return properties;
        }
    }

    /**
     * The jar that the class loader uses for a requirement.
     *
     * @param root the address of its resources
     */
    record Jar(Requirement requirement, String version, String root) {

        boolean isTooOld() {
            return isBelow(requirement.least);
        }

        boolean isBelow(@Nullable String other) {
            int[] has = numbers(version);
            return other != null && has.length > 0 && Arrays.compare(has, numbers(other)) < 0;
        }

        /** {@return the leading numbers of a version, such as 4, 2 and 13 of 4.2.13.Final} */
        private static int[] numbers(String version) {
            return Arrays.stream(version.split("[.-]"))
                    .takeWhile(part -> part.matches("\\d{1,9}"))
                    .mapToInt(Integer::parseInt)
                    .toArray();
        }

        String complaint() {
            return requirement.product + " " + requirement.least + " is needed, " + version
                    + " is first on the class path: " + path();
        }

        /** {@return the jar's path, or its address if it is not a file} */
        private String path() {
            String jar = root.startsWith("jar:") && root.endsWith("!/") ? root.substring(4, root.length() - 2) : root;
            try {
                return Path.of(URI.create(jar)).toString();
            } catch (IllegalArgumentException | FileSystemNotFoundException e) {
                return jar;
            }
        }
    }
}
