package io.reactivecomm.compression.reduce;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.BlockQuantization;
import io.reactivecomm.compression.Codec;
import io.reactivecomm.device.Move;
import io.reactivecomm.kernel.HostMoves;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** One rank's shards of LoCo in FLOAT32, made by one loop over all ranks without any group: what its steps are compared with. */
final class SequentialLoCo implements AutoCloseable {

    private static final Codec STORAGE = BlockQuantization.int8();

    private final Codec codec;
    private final LoCoOptions options;
    private final int hosts;
    private final int ranksOfHost;
    private final int rank;
    private final List<Tensor> withinHost;
    private final List<Tensor> acrossHosts;
    private long step;

    SequentialLoCo(Codec codec, LoCoOptions options, int hosts, int ranksOfHost, int rank, int shard) {
        this.codec = codec;
        this.options = options;
        this.hosts = hosts;
        this.ranksOfHost = ranksOfHost;
        this.rank = rank;
        this.withinHost = buffers(hosts * ranksOfHost, shard);
        this.acrossHosts = buffers(hosts, shard);
    }

    private static List<Tensor> buffers(int count, int shard) {
        List<Tensor> buffers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            buffers.add(Tensor.allocate(DType.UINT8, STORAGE.maxEncodedBytes(shard)));
        }
        return buffers;
    }

    /** {@return the shard of a step} */
    float[] step(List<float[]> inputs) {
        if (step++ % options.resetSteps() == 0) {
            withinHost.forEach(each -> HostMoves.run(List.of(Move.zeros(each))));
            acrossHosts.forEach(each -> HostMoves.run(List.of(Move.zeros(each))));
        }
        int count = inputs.getFirst().length / inputs.size();
        List<float[]> parts = inputs.stream()
                .map(each -> Arrays.copyOfRange(each, rank * count, (rank + 1) * count))
                .toList();
        if (hosts == 1 || ranksOfHost == 1) {
            return sum(parts, hosts == 1 ? withinHost : acrossHosts, 1f / parts.size());
        }
        List<float[]> sums = new ArrayList<>();
        for (int host = 0; host < hosts; host++) {
            int from = host * ranksOfHost;
            sums.add(sum(
                    parts.subList(from, from + ranksOfHost),
                    withinHost.subList(from, from + ranksOfHost),
                    1f / parts.size()));
        }
        return sum(sums, acrossHosts, 1);
    }

    private float[] sum(List<float[]> parts, List<Tensor> buffers, float weight) {
        try (Tensor sum = Tensor.allocate(DType.FLOAT32, parts.getFirst().length)) {
            for (int i = 0; i < parts.size(); i++) {
                add(parts.get(i), buffers.get(i), weight, sum);
            }
            return sum.toFloatArray();
        }
    }

    private void add(float[] part, Tensor buffer, float weight, Tensor sum) {
        long[] length = new long[1];
        try (Tensor values = Tensor.of(part);
                Tensor error = Tensor.allocate(DType.FLOAT32, part.length);
                Tensor mixed = Tensor.allocate(DType.FLOAT32, part.length);
                Tensor encoded = Tensor.allocate(DType.UINT8, codec.maxEncodedBytes(part.length))) {
            STORAGE.decode(buffer, error);
            float[] before = error.toFloatArray();
            float[] compensated = new float[part.length];
            for (int i = 0; i < part.length; i++) {
                compensated[i] = part[i] + before[i];
            }
            try (Tensor whole = Tensor.of(compensated);
                    Tensor decoded = Tensor.allocate(DType.FLOAT32, part.length)) {
                codec.encode(whole, 1, encoded, length);
                codec.decode(encoded, decoded);
                float[] written = decoded.toFloatArray();
                float[] lost = new float[part.length];
                for (int i = 0; i < part.length; i++) {
                    lost[i] = (compensated[i] - written[i]) * (float) (1 - options.errorBeta());
                }
                try (Tensor share = Tensor.of(lost)) {
                    HostMoves.run(List.of(Move.copy(share, mixed)));
                }
            }
            STORAGE.decodeAndAdd(buffer, (float) options.errorBeta(), mixed);
            STORAGE.encode(mixed, 1, buffer, length);
            codec.decodeAndAdd(encoded, weight, sum);
        }
    }

    @Override
    public void close() {
        withinHost.forEach(Tensor::close);
        acrossHosts.forEach(Tensor::close);
    }
}
