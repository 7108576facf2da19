package io.reactivecomm.rcomm.peers;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The folders in which programs or jars are looked for.
 *
 * @param folders in order
 */
record SearchPath(List<Path> folders) {

    SearchPath {
        folders = List.copyOf(folders);
    }

    /** {@return the folders of a text in which they stand separated as in PATH} */
    static SearchPath of(String text) {
        return new SearchPath(Arrays.stream(text.split(File.pathSeparator))
                .filter(folder -> !folder.isBlank())
                .map(Path::of)
                .toList());
    }

    /** {@return the first program of that name that may be run} */
    Optional<Path> program(String name) {
        return programs(name).findFirst();
    }

    /** {@return all programs of that name that may be run, each once} */
    Stream<Path> programs(String name) {
        return folders.stream()
                .map(folder -> folder.resolve(name).toAbsolutePath())
                .filter(Files::isExecutable)
                .distinct();
    }

    /** {@return the first file of that name} */
    Optional<Path> file(String name) {
        return folders.stream()
                .map(folder -> folder.resolve(name))
                .filter(Files::isRegularFile)
                .findFirst();
    }
}
