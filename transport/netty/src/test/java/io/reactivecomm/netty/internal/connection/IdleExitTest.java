package io.reactivecomm.netty.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.spi.PollingLoop.Poller;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A process that ends while its loops have nothing to do: HotSpot waits for those that sleep. */
@Timeout(120)
class IdleExitTest {

    private static final int WAKEFUL = 0;
    private static final int ASLEEP = 7;
    /** More than there are in ten seconds anyway. */
    private static final int TURNS = 100;

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void jvmThatEnds_hasNoLoopThatSleepsForLong(Sockets sockets) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        IdleProgram.class.getName(),
                        sockets.name())
                .inheritIO()
                .start();
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isEqualTo(WAKEFUL);
        } finally {
            process.destroyForcibly();
        }
    }

    /** Ends itself once its loop sleeps, and says in its end whether the loop wakes often meanwhile. */
    static final class IdleProgram {

        private IdleProgram() {}

        public static void main(String[] args) throws InterruptedException {
            NettyLoop loop = NettyLoop.start("idle", Sockets.valueOf(args[0]));
            CountDownLatch asleep = new CountDownLatch(1);
            CountDownLatch turns = new CountDownLatch(1 + TURNS);
            loop.execute(() -> loop.add(new Poller() {
                @Override
                public boolean poll() {
                    return false;
                }

                @Override
                public boolean park() {
                    asleep.countDown();
                    turns.countDown();
                    return true;
                }

                @Override
                public void unpark() {}
            }));
            asleep.await();
            Runtime.getRuntime()
                    .addShutdownHook(new Thread(() -> Runtime.getRuntime().halt(turn(turns) ? WAKEFUL : ASLEEP)));
            System.exit(1);
        }

        private static boolean turn(CountDownLatch turns) {
            try {
                return turns.await(10, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                return false;
            }
        }
    }
}
