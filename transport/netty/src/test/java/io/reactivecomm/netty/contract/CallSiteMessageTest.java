package io.reactivecomm.netty.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommConfig;
import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.spi.HostedStore;
import io.reactivecomm.spi.StoreHost;
import java.time.Duration;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Where calls carry the place that assembled them, messages do not: their two ends are two places. */
class CallSiteMessageTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    @Test
    void messagesAndStreams_ofGroupsThatCompareCallSites_match() {
        HostedStore store = ServiceLoader.load(StoreHost.class).findFirst().orElseThrow().start("127.0.0.1", 0, "t").block(LIMIT);
        List<ProcessGroup> groups = Flux.range(0, 2)
                .flatMap(rank -> ReactiveComm.connect(CommConfig.of(rank, 2, "127.0.0.1", store.port()).withStoreHosted(true).withToken("t")
                        .withCallSites(true)), 2)
                .collectSortedList((a, b) -> Integer.compare(a.rank(), b.rank())).block(LIMIT);
        try (Tensor tensor = Tensor.allocate(DType.INT8, 4);
                Tensor other = Tensor.allocate(DType.INT8, 4)) {
            Mono<Work> send = groups.get(0).send(tensor, 1, 0);
            Mono<Work> receive = groups.get(1).receive(other, 0, 0);
            assertThat(Mono.zip(send, receive).block(LIMIT)).isNotNull();
            Mono<Long> sent = groups.get(0).sendAll(Flux.just(tensor), 1, 0).count();
            Mono<Long> received = groups.get(1).receiveAll(0, 0).doOnNext(Tensor::close).count();
            assertThat(Mono.zip(sent, received).block(LIMIT).getT2()).isEqualTo(1);
        } finally {
            groups.forEach(ProcessGroup::close);
            store.close();
        }
    }
}
