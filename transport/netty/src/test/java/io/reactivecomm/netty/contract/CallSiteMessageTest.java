package io.reactivecomm.netty.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.WorldContract;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Messages in a world whose calls carry the place that assembled them: messages do not, because their two ends are two places. */
class CallSiteMessageTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    @Test
    void messagesAndStreams_ofGroupsThatCompareCallSites_match() {
        try (WorldContract.World world = TcpWorlds.open(2, config -> config.withCallSites(true));
                Tensor tensor = Tensor.allocate(DType.INT8, 4);
                Tensor other = Tensor.allocate(DType.INT8, 4)) {
            ProcessGroup sender = world.groups().get(0);
            ProcessGroup receiver = world.groups().get(1);
            Mono<Work> send = sender.send(tensor, 1, 0);
            Mono<Work> receive = receiver.receive(other, 0, 0);
            assertThat(Mono.zip(send, receive).block(LIMIT)).isNotNull();
            Mono<Long> sent = sender.sendAll(Flux.just(tensor), 1, 0).count();
            Mono<Long> received =
                    receiver.receiveAll(0, 0).doOnNext(Tensor::close).count();
            assertThat(Mono.zip(sent, received).block(LIMIT).getT2()).isEqualTo(1);
        }
    }
}
