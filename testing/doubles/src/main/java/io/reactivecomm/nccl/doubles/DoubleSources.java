package io.reactivecomm.nccl.doubles;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32;

/**
 * The C sources of one double, which come beside these classes, in a jar or a folder: copied to where gcc finds them, a folder for each state of
 * them.
 *
 * @param folder in which they are, and to which goes what is built of them
 */
record DoubleSources(Path folder) {

    private static final String SOURCES = "sources";

    /** As the other, without any from elsewhere. */
    static DoubleSources of(String name, String way) throws IOException {
        return of(name, way, Map.of());
    }

    /**
     * {@return the sources of a double} Several JVMs may ask for them at once: the copy of one takes its place in one step.
     *
     * @param way in which they are built: another one is another folder
     * @param more texts from elsewhere, by the names of their files
     */
    static DoubleSources of(String name, String way, Map<String, byte[]> more) throws IOException {
        SortedMap<String, byte[]> texts = texts(home(), name);
        texts.putAll(more);
        Path folder = Files.createDirectories(CacheFolder.PATH.resolve(name + "-" + fingerprint(texts, way)));
        if (!Files.exists(folder.resolve(SOURCES))) {
            Path fresh = Files.createTempDirectory(folder, "fresh");
            for (Map.Entry<String, byte[]> each : texts.entrySet()) {
                Files.write(fresh.resolve(each.getKey()), each.getValue());
            }
            place(fresh, folder.resolve(SOURCES));
        }
        return new DoubleSources(folder);
    }

    /** @param home of these classes: a folder or a jar */
    static SortedMap<String, byte[]> texts(Path home, String name) throws IOException {
        String folder = DoubleSources.class.getPackageName().replace('.', '/') + "/" + name;
        if (Files.isDirectory(home)) {
            return read(home.resolve(folder));
        }
        try (FileSystem jar = FileSystems.newFileSystem(home)) {
            return read(jar.getPath(folder));
        }
    }

    static Path home() {
        try {
            return Path.of(DoubleSources.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException("these classes come from no file", e);
        }
    }

    private static SortedMap<String, byte[]> read(Path folder) throws IOException {
        SortedMap<String, byte[]> texts = new TreeMap<>();
        try (Stream<Path> all = Files.list(folder)) {
            for (Path each : all.filter(Files::isRegularFile).toList()) {
                texts.put(each.getFileName().toString(), Files.readAllBytes(each));
            }
        }
        return texts;
    }

    private static String fingerprint(SortedMap<String, byte[]> texts, String way) {
        CRC32 sum = new CRC32();
        sum.update(way.getBytes(StandardCharsets.UTF_8));
        texts.forEach((name, text) -> {
            sum.update(name.getBytes(StandardCharsets.UTF_8));
            sum.update(text);
        });
        return Long.toHexString(sum.getValue());
    }

    /** Gives a folder its name, unless another JVM was faster: then that one's is as good. */
    static void place(Path fresh, Path folder) throws IOException {
        try {
            Files.move(fresh, folder, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            if (!Files.exists(folder)) {
                throw e;
            }
        }
    }

    /** {@return those to compile, by what their names end in} */
    List<Path> toCompile(String ending) throws IOException {
        return files(folder.resolve(SOURCES), ending);
    }

    /** {@return one of them} */
    Path source(String name) {
        return folder.resolve(SOURCES).resolve(name);
    }

    static List<Path> files(Path folder, String ending) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(each -> each.toString().endsWith(ending)).sorted().toList();
        }
    }
}
