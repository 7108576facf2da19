package io.reactivecomm.testkit.faults;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

/**
 * The class path of ranks: this process's own, its folders as jars, because the JVM keeps archives of loaded classes for jars only. With
 * such an archive a rank starts with half the work.
 *
 * @param path the class path
 * @param archive where loaded classes are kept; where there is no such file, or one that does not fit, the JVM does without
 */
record RankClasses(String path, Path archive) {

    /** {@return the class path of this process, with its folders as jars in that folder} */
    static RankClasses in(Path folder) throws IOException {
        List<String> path = new ArrayList<>();
        for (String each : System.getProperty("java.class.path").split(File.pathSeparator)) {
            Path entry = Path.of(each);
            path.add(
                    Files.isDirectory(entry)
                            ? jar(entry, folder.resolve("classes-" + path.size() + ".jar"))
                                    .toString()
                            : each);
        }
        return new RankClasses(String.join(File.pathSeparator, path), folder.resolve("classes.jsa"));
    }

    private static Path jar(Path folder, Path jar) throws IOException {
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file);
                Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(new ZipEntry(folder.relativize(each).toString().replace(File.separatorChar, '/')));
                Files.copy(each, out);
                out.closeEntry();
            }
        }
        return jar;
    }
}
