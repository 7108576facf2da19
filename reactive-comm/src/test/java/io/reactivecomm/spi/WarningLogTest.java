package io.reactivecomm.spi;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.LocalWorld;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ObjIntConsumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.BasicMDCAdapter;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.helpers.NOPLoggerFactory;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/** Programs in class loaders of their own, which have another slf4j provider than the tests, or none. */
@Timeout(120)
class WarningLogTest {

    @TempDir
    private Path folder;

    /** A rank waits in vain for another, longer and longer until a warning says so. It takes what has been written so far, and how often it waits at most. */
    public static final class Waiting implements ObjIntConsumer<Supplier<String>> {

        @Override
        public void accept(Supplier<String> written, int mostAttempts) {
            try (LocalWorld world = ReactiveComm.local(2);
                    Tensor loss = Tensor.of(new float[1])) {
                for (int attempt = 0; attempt < mostAttempts && !written.get().contains("is waiting"); attempt++) {
                    Duration timeout = Duration.ofMillis(200L << attempt);
                    world.groups()
                            .getFirst()
                            .named("loss")
                            .timeout(timeout)
                            .allReduce(loss, ReduceOp.SUM)
                            .onErrorComplete()
                            .block();
                }
            }
            WarningLog.of(Waiting.class).warn("it took {} and {}", "long", 7, new IllegalStateException("late"));
            WarningLog.of(Waiting.class).info("not a warning");
        }
    }

    /** As slf4j-nop's. */
    public static final class Silence implements SLF4JServiceProvider {

        @Override
        public ILoggerFactory getLoggerFactory() {
            return new NOPLoggerFactory();
        }

        @Override
        public IMarkerFactory getMarkerFactory() {
            return new BasicMarkerFactory();
        }

        @Override
        public MDCAdapter getMDCAdapter() {
            return new BasicMDCAdapter();
        }

        @Override
        public String getRequestedApiVersion() {
            return "2.0.99";
        }

        @Override
        public void initialize() {}
    }

    /** {@return what the program writes to standard error} @param more another folder of its class path */
    private static String saidBy(Path more, int mostAttempts) throws Exception {
        List<URL> urls = new ArrayList<>(List.of(more.toUri().toURL()));
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (!entry.contains("logback")) {
                urls.add(Path.of(entry).toUri().toURL());
            }
        }
        PrintStream before = System.err;
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        try (URLClassLoader loader =
                new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
            Thread.currentThread().setContextClassLoader(loader);
            @SuppressWarnings("unchecked")
            var program = (ObjIntConsumer<Supplier<String>>)
                    loader.loadClass(Waiting.class.getName()).getConstructor().newInstance();
            program.accept(() -> said.toString(StandardCharsets.UTF_8), mostAttempts);
        } finally {
            System.setErr(before);
            Thread.currentThread().setContextClassLoader(context);
        }
        return said.toString(StandardCharsets.UTF_8);
    }

    @Test
    void withoutAProvider_warningsGoToStandardError_andOneLineSaysSo() throws Exception {
        List<String> lines = saidBy(folder, 7)
                .lines()
                .filter(line -> line.startsWith("Reactive Comm: "))
                .toList();
        assertThat(lines)
                .filteredOn(line -> line.contains("there is no slf4j provider"))
                .hasSize(1);
        assertThat(lines).anyMatch(line -> line.contains("all-reduce is waiting: rank=0, missing=[1], call=loss#"));
        assertThat(lines).contains("Reactive Comm: it took long and 7, cause=java.lang.IllegalStateException: late");
        assertThat(lines).noneMatch(line -> line.contains("not a warning"));
    }

    @Test
    void withAProviderThatDropsAll_nothingIsWritten() throws Exception {
        Path services = Files.createDirectories(folder.resolve("META-INF/services"));
        Files.writeString(services.resolve("org.slf4j.spi.SLF4JServiceProvider"), Silence.class.getName());
        assertThat(saidBy(folder, 1)).doesNotContain("Reactive Comm:");
    }

    @Test
    void withAProvider_itsLoggersAreUsed() {
        assertThat(WarningLog.of(WarningLogTest.class)).isSameAs(LoggerFactory.getLogger(WarningLogTest.class));
    }
}
