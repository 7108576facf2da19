package io.reactivecomm.compression.reduce;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.Codec;
import io.reactivecomm.device.Move;
import io.reactivecomm.kernel.HostMoves;
import java.util.ArrayList;
import java.util.List;

/** All ranks of a compressed all-reduce in one loop, without any group: what its steps are compared with. */
final class SequentialReduction implements AutoCloseable {

    private final CompressionOptions options;
    private final DType type;
    private final int count;
    private final int ranks;
    private final int padded;
    private final int part;
    private final List<Codec> codecs = new ArrayList<>();
    private final List<Tensor> workers = new ArrayList<>();
    private final List<Tensor> servers = new ArrayList<>();
    private final List<Tensor> allocated = new ArrayList<>();
    private long step;

    SequentialReduction(CompressionOptions options, DType type, int count, int ranks) {
        this.options = options;
        this.type = type;
        this.count = count;
        this.ranks = ranks;
        this.padded = Math.ceilDiv(count, 8 * ranks) * 8 * ranks;
        this.part = padded / ranks;
        for (int rank = 0; rank < ranks; rank++) {
            codecs.add(options.codec());
            workers.add(allocate(type.accumulator(), padded));
            servers.add(allocate(type.accumulator(), part));
        }
    }

    /** {@return what a step makes of the ranks' inputs on all of them; the errors are kept for the next} */
    byte[] step(List<Tensor> inputs, double weight) {
        step++;
        double rounded = type.accumulator() == DType.FLOAT64 ? weight : (float) weight;
        Tensor result = allocate(type, padded);
        int parts = options.route() == Route.TWO_STEPS ? ranks : 1;
        List<List<Tensor>> encoded = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++) {
            encoded.add(encode(codecs.get(rank), inputs.get(rank), workers, rank, parts));
        }
        if (options.route() == Route.GATHER) {
            Tensor sum = sum(encoded, 0, rounded, padded);
            HostMoves.run(List.of(Move.copy(sum, result)));
        } else {
            for (int server = 0; server < ranks; server++) {
                Tensor sum = sum(encoded, server, rounded, part);
                Codec codec = codecs.get(server);
                codec.decode(
                        encode(codec, sum, servers, server, 1).getFirst(), result.slice((long) server * part, part));
            }
        }
        for (int rank = 0; rank < ranks; rank++) {
            codecs.set(rank, codecs.get(rank).after(encoded.get(rank).getFirst()));
        }
        return bytes(result.slice(0, count));
    }

    private Tensor allocate(DType of, long elements) {
        Tensor tensor = Tensor.allocate(of, elements);
        allocated.add(tensor);
        return tensor;
    }

    @Override
    public void close() {
        allocated.forEach(Tensor::close);
    }

    long steps() {
        return step;
    }

    private Tensor sum(List<List<Tensor>> encoded, int place, double weight, int elements) {
        Tensor sum = allocate(type.accumulator(), elements);
        for (int rank = 0; rank < ranks; rank++) {
            codecs.get(rank).decodeAndAdd(encoded.get(rank).get(place), weight, sum);
        }
        return sum;
    }

    private List<Tensor> encode(Codec codec, Tensor values, List<Tensor> errors, int of, int parts) {
        Tensor before = errors.get(of);
        Tensor after = allocate(before.type(), before.count());
        long stride = codec.maxEncodedBytes(before.count() / parts);
        Tensor all = allocate(DType.UINT8, parts * stride);
        long[] lengths = new long[parts];
        codec.encodeWithError(values, before, after, parts, all, lengths);
        if (options.feedsBack()) {
            errors.set(of, after);
        }
        List<Tensor> encoded = new ArrayList<>();
        for (int i = 0; i < parts; i++) {
            encoded.add(all.slice(i * stride, lengths[i]));
        }
        return encoded;
    }

    static byte[] bytes(Tensor tensor) {
        return tensor.view(DType.UINT8, tensor.byteSize()).toByteArray();
    }
}
