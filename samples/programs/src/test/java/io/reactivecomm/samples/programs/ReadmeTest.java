package io.reactivecomm.samples.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The tests of the README's length, and of the examples in the README and in pages: they compile, run, and print what their pages say. */
class ReadmeTest {

    private static final Path ROOT = Path.of("..", "..");
    private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
    private static final Pattern PRINTED = Pattern.compile("lines print `([^`]*)`");

    private static final int MOST_WORDS = 800;

    @TempDir
    private Path folder;

    @Test
    void readme_isShort() throws IOException {
        assertThat(Files.readString(ROOT.resolve("README.md")).strip().split("\\s+"))
                .as("words of README.md, as wc -w counts them")
                .hasSizeLessThanOrEqualTo(MOST_WORDS);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "README.md",
                "docs/guide.md",
                "docs/composites.md",
                "docs/compression.md",
                "docs/observing.md",
                "docs/launching.md",
                "docs/slow-job.md",
                "docs/from-deepspeed.md",
                "docs/from-torch.md",
                "docs/from-horovod.md",
                "docs/from-mpi.md"
            })
    void examples_compiledAndRun_printWhatThePageSays(String document) throws Exception {
        String readme = Files.readString(ROOT.resolve(document));
        Matcher examples = JAVA.matcher(readme);
        Matcher printed = PRINTED.matcher(readme);
        List<String> checked = new ArrayList<>();
        while (examples.find()) {
            assertThat(printed.find(examples.end()))
                    .as("%s says what its example prints", document)
                    .isTrue();
            String output = run(compile("Example" + checked.size(), examples.group(1)));
            assertThat(output.lines()).as(examples.group(1)).isNotEmpty().allMatch(printed.group(1)::equals);
            checked.add(output);
        }
        assertThat(checked).isNotEmpty();
    }

    private Class<?> compile(String name, String body) throws Exception {
        Path source = folder.resolve(name + ".java");
        Files.writeString(source, """
                import io.micrometer.core.instrument.*;
                import io.micrometer.core.instrument.simple.*;
                import io.micrometer.observation.*;
                import io.reactivecomm.*;
                import io.reactivecomm.device.*;
                import io.reactivecomm.compression.*;
                import io.reactivecomm.compression.reduce.*;
                import io.reactivecomm.deepspeed.*;
                import io.reactivecomm.observability.doctor.*;
                import io.reactivecomm.train.*;
                import io.reactivecomm.kernel.*;
                import io.reactivecomm.observability.watch.*;
                import io.reactivecomm.metrics.*;
                import io.reactivecomm.observability.trace.*;
                import io.reactivecomm.observe.*;
                import io.reactivecomm.timeline.*;
                import io.reactivecomm.timing.*;
                import java.lang.foreign.*;
                import java.nio.file.*;
                import java.time.*;
                import java.util.*;
                import reactor.core.*;
                import reactor.core.publisher.*;

                public class %s {
                    public static void main() throws Exception {
                        %s
                    }
                }
                """.formatted(name, body));
        ByteArrayOutputStream complaints = new ByteArrayOutputStream();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        int code = compiler.run(
                null,
                complaints,
                complaints,
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                folder.toString(),
                source.toString());
        assertThat(code).as(complaints.toString(StandardCharsets.UTF_8)).isZero();
        return new URLClassLoader(new URL[] {folder.toUri().toURL()}, ReadmeTest.class.getClassLoader())
                .loadClass(name);
    }

    private static String run(Class<?> example) throws Exception {
        PrintStream before = System.out;
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
        try {
            example.getMethod("main").invoke(null);
        } finally {
            System.setOut(before);
        }
        return output.toString(StandardCharsets.UTF_8);
    }
}
