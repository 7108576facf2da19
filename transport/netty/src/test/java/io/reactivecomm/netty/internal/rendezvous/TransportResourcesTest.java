package io.reactivecomm.netty.internal.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.LogRank;
import io.reactivecomm.netty.internal.connection.NettyLoop;
import io.reactivecomm.netty.internal.connection.Sockets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

/** A rank's loops before there is a mesh. */
class TransportResourcesTest {

    /** So what is logged while ranks look for each other, and of heartbeats, has the rank. */
    @Test
    void bothLoops_haveTheRankInTheLogsContext() throws Exception {
        try (TransportResources held = new TransportResources(3, 8, Sockets.best())) {
            assertThat(shown(held.loop())).isEqualTo("3/8");
            assertThat(shown(held.control())).isEqualTo("3/8");
        }
    }

    private static String shown(NettyLoop loop) throws Exception {
        CompletableFuture<String> shown = new CompletableFuture<>();
        loop.execute(() -> shown.complete(MDC.get(LogRank.RANK) + "/" + MDC.get(LogRank.WORLD)));
        return shown.get(30, TimeUnit.SECONDS);
    }
}
