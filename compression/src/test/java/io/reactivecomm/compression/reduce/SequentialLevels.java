package io.reactivecomm.compression.reduce;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.Codec;
import io.reactivecomm.device.Move;
import io.reactivecomm.kernel.HostMoves;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** All ranks of a quantised reduce-scatter in one loop, without any group: what its shards are compared with. */
final class SequentialLevels implements AutoCloseable {

    private final Codec codec;
    private final DType type;
    private final int hosts;
    private final int ranksOfHost;
    private final double weight;
    private final List<Tensor> allocated = new ArrayList<>();

    SequentialLevels(Codec codec, DType type, int hosts, int ranksOfHost, double weight) {
        this.codec = codec;
        this.type = type;
        this.hosts = hosts;
        this.ranksOfHost = ranksOfHost;
        this.weight = type.accumulator() == DType.FLOAT64 ? weight : (float) weight;
    }

    /** {@return the shard of a rank, given all ranks' elements} */
    double[] shard(List<double[]> inputs, int rank) {
        int count = inputs.getFirst().length / inputs.size();
        List<Tensor> parts = inputs.stream()
                .map(each -> tensor(type, Arrays.copyOfRange(each, rank * count, (rank + 1) * count)))
                .toList();
        return tensor(type, sum(parts).toDoubleArray()).toDoubleArray();
    }

    private Tensor sum(List<Tensor> parts) {
        if (hosts == 1 || ranksOfHost == 1) {
            return sum(parts, weight);
        }
        List<Tensor> sums = new ArrayList<>();
        for (int host = 0; host < hosts; host++) {
            sums.add(sum(parts.subList(host * ranksOfHost, (host + 1) * ranksOfHost), weight));
        }
        return sum(sums, 1);
    }

    private Tensor sum(List<Tensor> parts, double by) {
        long count = parts.getFirst().count();
        Tensor sum = tensor(type.accumulator(), new double[(int) count]);
        for (Tensor part : parts) {
            Tensor encoded = kept(Tensor.allocate(DType.UINT8, codec.maxEncodedBytes(count)));
            codec.encode(part, 1, encoded, new long[1]);
            codec.decodeAndAdd(encoded, by, sum);
        }
        return sum;
    }

    private Tensor tensor(DType of, double[] numbers) {
        Tensor tensor = kept(Tensor.allocate(of, numbers.length));
        try (Tensor exact = Tensor.of(numbers)) {
            HostMoves.run(List.of(Move.copy(exact, tensor)));
        }
        return tensor;
    }

    private Tensor kept(Tensor tensor) {
        allocated.add(tensor);
        return tensor;
    }

    @Override
    public void close() {
        allocated.forEach(Tensor::close);
    }
}
