package io.reactivecomm.compression.reduce;

import io.reactivecomm.Tensor;
import io.reactivecomm.compression.Codec;
import io.reactivecomm.compression.internal.call.CodecThreads;
import io.reactivecomm.compression.internal.call.StepMemory;
import io.reactivecomm.device.Move;
import java.util.List;
import java.util.stream.IntStream;
import reactor.core.publisher.Mono;

/** A step in which every rank gets all encodings and adds them up in rank order: so the sums have the same bits on all. */
final class Gathering implements Passage {

    private final Load load;
    private final Codec codec;
    private final int ranks;
    private final long count;
    private final long stride;
    private final Tensor before;
    private final Tensor outgoing;
    private final Tensor incoming;
    private final Tensor sum;
    private final boolean sumIsOwn;
    private final long[] sent = new long[1];
    private long[] received = {};
    private Codec adapted;

    Gathering(Load load, StepMemory memory) {
        this.load = load;
        this.codec = load.codec();
        this.adapted = codec;
        this.ranks = load.parts().ranks();
        this.count = load.parts().padded();
        this.stride = codec.maxEncodedBytes(count);
        this.before = load.before(memory);
        this.outgoing = memory.of(() -> load.encodings(1, count));
        this.incoming = memory.of(() -> load.encodings(ranks, count));
        this.sumIsOwn = !load.fits(0, count);
        this.sum = sumIsOwn ? memory.of(() -> load.sums(count)) : load.values();
    }

    @Override
    public Mono<Long> run() {
        return CodecThreads.run(load.group(), this::encode)
                .then(CodecThreads.guarded(
                        () -> Lengths.ofAll(load.group(), codec, count, sent[0], lengths -> received = lengths)))
                .then(Mono.defer(() -> load.group().allGather(outgoing.slice(0, sent[0]), encodings())))
                .then(CodecThreads.run(load.group(), this::addUp))
                .then(Mono.fromSupplier(() -> (ranks - 1) * sent[0]));
    }

    private void encode() {
        adapted = load.encode(before, 1, outgoing, sent);
    }

    private List<Tensor> encodings() {
        return IntStream.range(0, ranks)
                .mapToObj(rank -> incoming.slice(rank * stride, received[rank]))
                .toList();
    }

    private void addUp() {
        load.group().move(List.of(Move.zeros(sum)));
        for (Tensor each : encodings()) {
            codec.decodeAndAdd(each, load.weight(), sum);
        }
        if (sumIsOwn) {
            load.group().move(List.of(Move.copy(sum.slice(0, load.values().count()), load.values())));
        }
    }

    @Override
    public Codec adapted() {
        return adapted;
    }
}
