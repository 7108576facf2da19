package io.reactivecomm.compression.reduce;

import io.reactivecomm.Tensor;
import io.reactivecomm.compression.Codec;
import io.reactivecomm.compression.internal.call.CodecThreads;
import io.reactivecomm.compression.internal.call.StepMemory;
import io.reactivecomm.device.Move;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import reactor.core.publisher.Mono;

/**
 * A step in which each rank adds up one part, where it lies if that can be: fresh memory is a fifth of the time of a large step. Three ranks, elements in three parts, of which rank 1
 * has the second:
 *
 * <pre>
 *   rank 1    x + worker error ── encoded ─┬ part 0 ─&gt; rank 0
 *                                          ├ part 1 ─────────┐
 *                                          └ part 2 ─&gt; rank 2│
 *             part 1 of ranks 0 and 2 ──────────────────────&gt; decoded and added up in rank order, + server error ── encoded ─&gt; all ranks ── decoded ─&gt; x
 * </pre>
 */
final class TwoSteps implements Passage {

    private final Load load;
    private final Exchange exchange;
    private final Codec codec;
    private final int ranks;
    private final long part;
    private final long stride;
    private final Tensor before;
    private final Tensor outgoing;
    private final Tensor incoming;
    private final Tensor sum;
    private final long[] sent;
    private long[] received = {};
    private Codec adapted;

    TwoSteps(Load load, Exchange exchange, StepMemory memory) {
        this.load = load;
        this.exchange = exchange;
        this.codec = load.codec();
        this.adapted = codec;
        this.ranks = load.parts().ranks();
        this.part = load.parts().part();
        this.stride = codec.maxEncodedBytes(part);
        this.before = load.before(memory);
        this.outgoing = memory.of(() -> load.encodings(ranks, part));
        this.incoming = memory.of(() -> load.encodings(ranks, part));
        long own = load.group().rank() * part;
        this.sum = load.fits(own, part) ? load.values().slice(own, part) : memory.of(() -> load.sums(part));
        this.sent = new long[ranks];
    }

    @Override
    public Mono<Long> run() {
        return CodecThreads.run(load.group(), this::encode)
                .then(CodecThreads.guarded(
                        () -> Lengths.ofParts(load.group(), codec, part, sent, lengths -> received = lengths)))
                .then(Mono.defer(
                        () -> exchange.parts(load.group(), encodings(outgoing, sent), encodings(incoming, received))))
                .then(CodecThreads.run(load.group(), this::addUp))
                .then(Mono.defer(this::gather));
    }

    private void encode() {
        adapted = load.encode(before, ranks, outgoing, sent);
    }

    private void addUp() {
        load.group().move(List.of(Move.zeros(sum)));
        for (int rank = 0; rank < ranks; rank++) {
            codec.decodeAndAdd(encoding(incoming, rank, received[rank]), load.weight(), sum);
        }
    }

    /** The memory of the parts takes the sums, too: nobody needs the parts any more. */
    private Mono<Long> gather() {
        long[] own = new long[1];
        long[][] lengths = new long[1][];
        return CodecThreads.run(
                        load.group(),
                        () -> codec.encodeWithError(
                                sum, load.now().kept(SERVER), load.next().kept(SERVER), 1, outgoing, own))
                .then(CodecThreads.guarded(
                        () -> Lengths.ofAll(load.group(), codec, part, own[0], all -> lengths[0] = all)))
                .then(Mono.defer(
                        () -> load.group().allGather(encoding(outgoing, 0, own[0]), encodings(incoming, lengths[0]))))
                .then(CodecThreads.run(load.group(), () -> decode(lengths[0])))
                .then(Mono.fromSupplier(() -> toOthers() + (ranks - 1) * own[0]));
    }

    private long toOthers() {
        return LongStream.of(sent).sum() - sent[load.group().rank()];
    }

    private void decode(long[] lengths) {
        for (int rank = 0; rank < ranks; rank++) {
            long from = rank * part;
            long count = Math.clamp(load.values().count() - from, 0, part);
            Tensor encoded = encoding(incoming, rank, lengths[rank]);
            if (count == part) {
                codec.decode(encoded, load.values().slice(from, part));
            } else if (count > 0) {
                decodeFirst(count, encoded, load.values().slice(from, count));
            }
        }
    }

    /** The rest is padding. */
    private void decodeFirst(long count, Tensor encoded, Tensor values) {
        try (Tensor whole = load.sums(part)) {
            codec.decode(encoded, whole);
            load.group().move(List.of(Move.copy(whole.slice(0, count), values)));
        }
    }

    private Tensor encoding(Tensor encodings, int place, long length) {
        return encodings.slice(place * stride, length);
    }

    private List<Tensor> encodings(Tensor encodings, long[] lengths) {
        return new ArrayList<>(IntStream.range(0, ranks)
                .mapToObj(rank -> encoding(encodings, rank, lengths[rank]))
                .toList());
    }

    @Override
    public Codec adapted() {
        return adapted;
    }
}
