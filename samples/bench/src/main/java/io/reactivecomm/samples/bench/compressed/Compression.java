package io.reactivecomm.samples.bench.compressed;

import io.reactivecomm.compression.BlockQuantization;
import io.reactivecomm.compression.Codec;
import io.reactivecomm.compression.OneBit;
import io.reactivecomm.compression.TopK;
import io.reactivecomm.compression.reduce.CompressedAllReduce;
import io.reactivecomm.compression.reduce.CompressionOptions;
import io.reactivecomm.compression.reduce.PowerSgd;
import io.reactivecomm.compression.reduce.PowerSgdOptions;
import io.reactivecomm.samples.programs.world.Names;

/** A way to compress an all-reduce, as users choose it. */
public enum Compression {
    /** A sign for each element. */
    ONE_BIT,
    /** A byte for each. */
    INT8,
    /** Half a byte. */
    INT4,
    /** One of a hundred, to all ranks. */
    TOP_K,
    /** A matrix as two factors of rank one. */
    POWERSGD;

    /** The usual one, with which a hundredth of the elements travels. */
    static final double DENSITY = 0.01;

    /** {@return an all-reduce of that kind, at its first step} */
    public NamedReduction begin() {
        return switch (this) {
            case ONE_BIT -> inTwoSteps(new OneBit());
            case INT8 -> inTwoSteps(BlockQuantization.int8());
            case INT4 -> inTwoSteps(BlockQuantization.int4());
            case TOP_K -> new NamedReduction.Encoded(CompressedAllReduce.of(CompressionOptions.byGather(new TopK(DENSITY))));
            case POWERSGD -> new NamedReduction.Factored(PowerSgd.of(PowerSgdOptions.DEFAULT.withStartStep(0)));
        };
    }

    private static NamedReduction inTwoSteps(Codec codec) {
        return new NamedReduction.Encoded(CompressedAllReduce.of(CompressionOptions.inTwoSteps(codec)));
    }

    /** {@return whether it takes matrices, and of other tensors nothing off} */
    public boolean needsMatrices() {
        return this == POWERSGD;
    }

    /** {@return what ranks put in, of about so many elements: a matrix for who needs one} */
    Inputs inputs(int ranks, long count) {
        return needsMatrices() ? Inputs.ofRankOne(ranks, count) : Inputs.scattered(ranks, count);
    }

    /** {@return what tells whether its sums are right} */
    ResultCheck check(Inputs inputs) {
        return switch (this) {
            case ONE_BIT -> new OneBitCheck(inputs);
            case INT8 -> BoundedCheck.ofCodec(inputs, BlockQuantization.int8());
            case INT4 -> BoundedCheck.ofCodec(inputs, BlockQuantization.int4());
            case TOP_K -> new TopKCheck(inputs, DENSITY);
            case POWERSGD -> BoundedCheck.ofFactors(inputs);
        };
    }

    /** {@return the name as the user writes it} */
    @Override
    public String toString() {
        return Names.of(this);
    }
}
