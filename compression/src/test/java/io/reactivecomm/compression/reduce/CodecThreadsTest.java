package io.reactivecomm.compression.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.LocalWorld;
import io.reactivecomm.LogRank;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The threads on which codecs run, for all ranks of a process. */
class CodecThreadsTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    /** By the rank whose codec it is, what the log would show in it. */
    private final ConcurrentMap<Integer, Set<String>> shown = new ConcurrentHashMap<>();

    private Mono<?> step(ProcessGroup group) {
        FaultyCodec codec = new FaultyCodec(at -> {
            if (Thread.currentThread().getName().startsWith("compression")) {
                shown.computeIfAbsent(group.rank(), rank -> ConcurrentHashMap.newKeySet())
                        .add(MDC.get(LogRank.RANK) + "/" + MDC.get(LogRank.WORLD));
            }
        });
        Tensor tensor = Tensor.of(new float[100]);
        return Mono.usingWhen(
                Mono.fromSupplier(() -> CompressedAllReduce.of(CompressionOptions.inTwoSteps(codec))),
                reduction -> reduction.allReduce(group, "weight", tensor, ReduceOp.SUM),
                reduction -> Mono.fromRunnable(reduction::close));
    }

    @Test
    void codecs_haveTheRankInTheLogsContext() {
        try (LocalWorld world = ReactiveComm.local(3)) {
            for (int steps = 0; steps < 3; steps++) {
                Flux.fromIterable(world.groups()).flatMap(this::step, 3).blockLast(LIMIT);
            }
        }
        assertThat(shown).hasSize(3);
        shown.forEach((rank, texts) -> assertThat(texts).containsExactly(rank + "/3"));
    }
}
