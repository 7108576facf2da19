package io.reactivecomm.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class StackOwnerTest {

    private static StackTraceElement[] stack(String... classes) {
        return Arrays.stream(classes)
                .map(name -> new StackTraceElement(name, "run", null, 1))
                .toArray(StackTraceElement[]::new);
    }

    private static final String[] LOOP = {"io.reactivecomm.internal.driver.RankDriver", "io.netty.channel.SingleThreadIoEventLoop", "java.lang.Thread"};

    private static StackTraceElement[] above(String... classes) {
        String[] all = Arrays.copyOf(classes, classes.length + LOOP.length);
        System.arraycopy(LOOP, 0, all, classes.length, LOOP.length);
        return stack(all);
    }

    @Test
    void callbackOfTheProgram_isItsOwn_whateverItCallsInTheJdk() {
        StackTraceElement[] stack = above("java.lang.Thread", "org.example.Train$Step", "reactor.core.publisher.FluxMap$MapSubscriber");
        assertThat(StackOwner.of(stack)).isEqualTo(StackOwner.PROGRAM);
        assertThat(StackOwner.advice(stack)).contains("in=org.example.Train$Step.run", "publishOn");
    }

    @Test
    void memoryThatTheLibraryTakesOrFrees_isTheLibrarys() {
        StackTraceElement[] taking = above("jdk.internal.misc.Unsafe", "jdk.internal.foreign.ArenaImpl", "io.reactivecomm.internal.transfer.Staging");
        assertThat(StackOwner.of(taking)).isEqualTo(StackOwner.LIBRARY);
        assertThat(StackOwner.advice(taking)).contains("in=io.reactivecomm.internal.transfer.Staging.run", "report").doesNotContain("publishOn");
        StackTraceElement[] loading = above("java.lang.ClassLoader", "jdk.internal.loader.BuiltinClassLoader", "io.reactivecomm.kernel.Kernels");
        assertThat(StackOwner.of(loading)).isEqualTo(StackOwner.LIBRARY);
    }

    @Test
    void samples_arePrograms() {
        assertThat(StackOwner.of(above("io.reactivecomm.samples.programs.train.DataParallel"))).isEqualTo(StackOwner.PROGRAM);
    }

    @Test
    void loopThatWaits_isNobodys() {
        StackTraceElement[] waiting = stack(
                "io.netty.channel.epoll.Native", "io.netty.channel.epoll.EpollIoHandler", "io.netty.channel.SingleThreadIoEventLoop",
                "java.lang.Thread");
        assertThat(StackOwner.of(waiting)).isEqualTo(StackOwner.NOBODY);
        assertThat(StackOwner.advice(waiting)).contains("load").doesNotContain("publishOn").doesNotContain("report it");
        assertThat(StackOwner.of(stack("java.lang.Thread", "io.reactivecomm.netty.SpinThenPark", "io.netty.channel.epoll.EpollIoHandler")))
                .isEqualTo(StackOwner.NOBODY);
    }
}
