package io.reactivecomm.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.Admission.Encryption;
import io.reactivecomm.CommConfig;
import io.reactivecomm.netty.internal.connection.NettyLoop;
import io.reactivecomm.netty.internal.connection.Sockets;
import io.reactivecomm.netty.internal.connection.TransportOptions;
import io.reactivecomm.netty.internal.host.UserDirectories;
import io.reactivecomm.netty.internal.link.LinkPair;
import io.reactivecomm.netty.internal.rendezvous.StoreSearch;
import io.reactivecomm.netty.internal.rendezvous.TokenFile;
import io.reactivecomm.netty.internal.store.StoreServer;
import io.reactivecomm.spi.WorkThreads;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.Disposable;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Schedulers;

/** Ranks that look for the store before it is there, where its token is in a file. */
@Timeout(60)
class EarlyDialTest {

    private static final String TOKEN = "0123";

    @TempDir
    Path temporary;

    private final NettyLoop loop = NettyLoop.start("early", Sockets.best());

    @AfterEach
    void end() {
        loop.stop();
    }

    private UserDirectories directories() throws IOException {
        Path root = temporary.toRealPath();
        return new UserDirectories(root.resolve("run"), root);
    }

    private static CommConfig config(int port) {
        return CommConfig.of(1, 2, "127.0.0.1", port).withRendezvousTimeout(MeshWorld.PATIENCE);
    }

    private static void pump(Socket from, Socket to) {
        Thread.ofVirtual().start(() -> {
            try (from;
                    to) {
                from.getInputStream().transferTo(to.getOutputStream());
            } catch (IOException e) {
                // The test is over.
            }
        });
    }

    /** The port is there before the token is, as at rank 0: the system takes connections for it. */
    @Test
    void rankThatDialsBeforeTheTokenIsThere_entersAtItsFirstAttempt_andIsNoStranger() throws Exception {
        try (StoreServer store = StoreServer.start("127.0.0.1", 0, TOKEN, Encryption.BETWEEN_HOSTS)
                        .block(MeshWorld.PATIENCE);
                ServerSocket front = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            InetSocketAddress address = new InetSocketAddress("127.0.0.1", front.getLocalPort());
            TokenFile tokens = new TokenFile(address, directories());
            CompletableFuture<StoreSearch.Found> found = StoreSearch.find(
                            loop, address, config(front.getLocalPort()), tokens, TransportOptions.DEFAULT)
                    .toFuture();
            Socket dialled = front.accept();
            tokens.publish(TOKEN);
            Socket behind = new Socket("127.0.0.1", store.port());
            pump(dialled, behind);
            pump(behind, dialled);
            assertThat(found.get(20, TimeUnit.SECONDS).token()).isEqualTo(TOKEN);
            assertThat(store.strangers()).isZero();
        }
    }

    @Test
    void searchThatIsCancelled_asItLooksForTheToken_makesNoNoise() throws Exception {
        int port = UnusedPort.take();
        InetSocketAddress address = new InetSocketAddress("127.0.0.1", port);
        TokenFile left = new TokenFile(address, directories());
        left.publish(TOKEN);
        try (CapturedLog log = CapturedLog.of(Operators.class)) {
            for (int round = 0; round < 300; round++) {
                Disposable search = StoreSearch.find(loop, address, config(port), left, TransportOptions.DEFAULT)
                        .subscribe();
                // Behind the task in which it begins to look; for the rest the look is longer or shorter than these.
                for (int turn = 0; turn < round % 30; turn++) {
                    LinkPair.run(loop, () -> {});
                }
                search.dispose();
            }
            awaitLooks();
            assertThat(log.lines()).isEmpty();
        }
    }

    /** A look has files of its own for a moment. All of the threads of looks wait here, once each is over. */
    private static void awaitLooks() throws InterruptedException {
        CountDownLatch waiting = new CountDownLatch(Schedulers.DEFAULT_BOUNDED_ELASTIC_SIZE);
        for (long thread = waiting.getCount(); thread > 0; thread--) {
            WorkThreads.shared().schedule(() -> {
                waiting.countDown();
                try {
                    waiting.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        waiting.await();
    }
}
