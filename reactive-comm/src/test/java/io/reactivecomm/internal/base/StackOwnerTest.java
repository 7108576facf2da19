package io.reactivecomm.internal.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StackOwnerTest {

    private static StackTraceElement[] stack(String... classes) {
        return Arrays.stream(classes)
                .map(name -> new StackTraceElement(name, "run", null, 1))
                .toArray(StackTraceElement[]::new);
    }

    private static final String[] LOOP = {
        "io.reactivecomm.internal.driver.RankDriver", "io.netty.channel.SingleThreadIoEventLoop", "java.lang.Thread"
    };

    private static StackTraceElement[] above(String... classes) {
        String[] all = Arrays.copyOf(classes, classes.length + LOOP.length);
        System.arraycopy(LOOP, 0, all, classes.length, LOOP.length);
        return stack(all);
    }

    @Test
    void callbackOfTheProgram_isItsOwn_whateverItCallsInTheJdk() {
        StackTraceElement[] stack =
                above("java.lang.Thread", "org.example.Train$Step", "reactor.core.publisher.FluxMap$MapSubscriber");
        assertThat(StackOwner.of(stack)).isEqualTo(StackOwner.PROGRAM);
        assertThat(StackOwner.advice(stack)).contains("in=org.example.Train$Step.run", "publishOn");
    }

    @Test
    void memoryThatTheLibraryTakesOrFrees_isTheLibrarys() {
        StackTraceElement[] taking = above(
                "jdk.internal.misc.Unsafe",
                "jdk.internal.foreign.ArenaImpl",
                "io.reactivecomm.internal.transfer.Staging");
        assertThat(StackOwner.of(taking)).isEqualTo(StackOwner.LIBRARY);
        assertThat(StackOwner.advice(taking))
                .contains("in=io.reactivecomm.internal.transfer.Staging.run", "report")
                .doesNotContain("publishOn");
        StackTraceElement[] loading = above(
                "java.lang.ClassLoader", "jdk.internal.loader.BuiltinClassLoader", "io.reactivecomm.kernel.Kernels");
        assertThat(StackOwner.of(loading)).isEqualTo(StackOwner.LIBRARY);
    }

    @Test
    void samplesAndTheCommand_arePrograms() {
        assertThat(StackOwner.of(above("io.reactivecomm.samples.programs.train.DataParallel")))
                .isEqualTo(StackOwner.PROGRAM);
        assertThat(StackOwner.of(above("io.reactivecomm.rcomm.perf.Series"))).isEqualTo(StackOwner.PROGRAM);
    }

    @Test
    void loopThatWaits_isNobodys() {
        StackTraceElement[] waiting = stack(
                "io.netty.channel.epoll.Native",
                "io.netty.channel.epoll.EpollIoHandler",
                "io.netty.channel.SingleThreadIoEventLoop",
                "java.lang.Thread");
        assertThat(StackOwner.of(waiting)).isEqualTo(StackOwner.NOBODY);
        assertThat(StackOwner.advice(waiting))
                .contains("load")
                .doesNotContain("publishOn")
                .doesNotContain("report it");
        assertThat(StackOwner.of(stack(
                        "java.lang.Thread",
                        "io.reactivecomm.netty.internal.connection.LoopWaiting",
                        "io.netty.channel.epoll.EpollIoHandler")))
                .isEqualTo(StackOwner.NOBODY);
    }

    /** The library reads and writes objects with Jackson, and so do programs. */
    @Test
    void librariesThatTheLibraryCalls_areNotTheProgram() {
        String[] jackson = {
            "java.lang.ClassLoader",
            "tools.jackson.databind.json.JsonMapper",
            "com.fasterxml.jackson.annotation.JsonFormat"
        };
        StackTraceElement[] ours = above(with(jackson, "io.reactivecomm.internal.composite.JsonCodec"));
        assertThat(StackOwner.of(ours)).isEqualTo(StackOwner.LIBRARY);
        assertThat(StackOwner.advice(ours))
                .contains("in=io.reactivecomm.internal.composite.JsonCodec.run")
                .doesNotContain("publishOn");
        StackTraceElement[] theirs =
                above(with(jackson, "org.example.Report", "io.reactivecomm.internal.composite.JsonCodec"));
        assertThat(StackOwner.of(theirs)).isEqualTo(StackOwner.PROGRAM);
        assertThat(StackOwner.advice(theirs)).contains("in=org.example.Report.run");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "io.micrometer.core.instrument.Timer",
                "org.apache.logging.log4j.core.Logger",
                "jcuda.driver.JCudaDriver",
                "kotlin.collections.ArraysKt"
            })
    void librariesBeneath_areNobodys(String name) {
        assertThat(StackOwner.of(above(name))).isEqualTo(StackOwner.LIBRARY);
        assertThat(StackOwner.of(stack(name, "java.lang.Thread"))).isEqualTo(StackOwner.NOBODY);
    }

    @Test
    void classesThatTheOwnerLoads_areLoading_butNotThoseThatItRunsIn() {
        assertThat(StackOwner.isLoading(
                        above("jdk.internal.loader.BuiltinClassLoader", "java.lang.ClassLoader", "org.example.Train")))
                .isTrue();
        assertThat(StackOwner.isLoading(
                        above("java.lang.Thread", "org.example.Train", "jdk.internal.loader.BuiltinClassLoader")))
                .isFalse();
    }

    @Test
    void shown_hasTheOwner_inFewLines() {
        String[] deep = new String[40];
        Arrays.fill(deep, "tools.jackson.databind.ser.BeanSerializer");
        StackTraceElement[] stack = above(with(deep, "org.example.Report", "reactor.core.publisher.FluxMap"));
        assertThat(StackOwner.shown(stack, 9))
                .hasSizeLessThanOrEqualTo(9)
                .anyMatch(frame -> frame.startsWith("org.example.Report.run"));
        assertThat(StackOwner.shown(stack, 9).getFirst()).startsWith("tools.jackson");
        assertThat(StackOwner.shown(stack, 100)).hasSize(stack.length);
        assertThat(StackOwner.shown(above("org.example.Report"), 9)).hasSize(4).noneMatch(frame -> frame.contains("…"));
    }

    private static String[] with(String[] first, String... more) {
        String[] all = Arrays.copyOf(first, first.length + more.length);
        System.arraycopy(more, 0, all, first.length, more.length);
        return all;
    }
}
