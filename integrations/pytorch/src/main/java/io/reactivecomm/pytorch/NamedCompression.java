package io.reactivecomm.pytorch;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.compression.BlockQuantization;
import io.reactivecomm.compression.Codec;
import io.reactivecomm.compression.OneBit;
import io.reactivecomm.compression.TopK;
import io.reactivecomm.compression.reduce.CompressedAllReduce;
import io.reactivecomm.compression.reduce.CompressionOptions;
import io.reactivecomm.compression.reduce.CompressionState;
import io.reactivecomm.compression.reduce.PowerSgd;
import io.reactivecomm.compression.reduce.PowerSgdOptions;
import io.reactivecomm.train.BucketReducer;

/**
 * A compression of gradients that a program chooses by name, with its state.
 *
 * @param reducer of the buckets
 * @param state what a step leaves to the next
 */
record NamedCompression(BucketReducer reducer, CompressionState state) {

    /** The share of elements that top-k sends. */
    private static final double DENSITY = 0.01;

    static NamedCompression of(String name) {
        return switch (name) {
            case "one-bit" -> inTwoSteps(new OneBit());
            case "int8" -> inTwoSteps(BlockQuantization.int8());
            case "int4" -> inTwoSteps(BlockQuantization.int4());
            case "top-k" -> of(CompressedAllReduce.of(CompressionOptions.byGather(new TopK(DENSITY))));
            case "powersgd" -> of(PowerSgd.of(PowerSgdOptions.DEFAULT));
            default ->
                throw new InvalidCallException("no compression has this name: name=" + name
                        + "; give one-bit, int8, int4, top-k or powersgd, or a reducer of BucketOptions.withReducer");
        };
    }

    private static NamedCompression inTwoSteps(Codec codec) {
        return of(CompressedAllReduce.of(CompressionOptions.inTwoSteps(codec)));
    }

    private static NamedCompression of(CompressedAllReduce reduction) {
        return new NamedCompression(reduction, reduction.state());
    }

    private static NamedCompression of(PowerSgd reduction) {
        return new NamedCompression(reduction, reduction.state());
    }
}
