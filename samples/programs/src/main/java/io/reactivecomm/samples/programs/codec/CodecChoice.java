package io.reactivecomm.samples.programs.codec;

import io.reactivecomm.compression.BlockQuantization;
import io.reactivecomm.compression.OneBit;
import io.reactivecomm.compression.Threshold;
import io.reactivecomm.compression.TopK;
import io.reactivecomm.compression.reduce.CompressedAllReduce;
import io.reactivecomm.compression.reduce.CompressionOptions;
import io.reactivecomm.compression.reduce.PowerSgd;
import io.reactivecomm.compression.reduce.PowerSgdOptions;
import io.reactivecomm.samples.programs.world.Names;

/** A way to compress an all-reduce, as users choose it. */
public enum CodecChoice {
    /** A sign for each element. */
    ONE_BIT,
    /** A byte for each. */
    INT8,
    /** Half a byte. */
    INT4,
    /** Few of the elements, to all ranks. */
    TOP_K,
    /** The signs of what reaches a threshold, to all ranks. */
    THRESHOLD,
    /** A matrix as two factors. */
    POWERSGD;

    /** {@return an all-reduce of that kind, at its first step} */
    public NamedReduction begin(CodecSettings settings) {
        return switch (this) {
            case ONE_BIT -> encoded(CompressionOptions.inTwoSteps(new OneBit()), settings);
            case INT8 -> encoded(CompressionOptions.inTwoSteps(BlockQuantization.int8()), settings);
            case INT4 -> encoded(CompressionOptions.inTwoSteps(BlockQuantization.int4()), settings);
            case TOP_K -> encoded(CompressionOptions.byGather(new TopK(settings.density())), settings);
            case THRESHOLD ->
                encoded(
                        CompressionOptions.byGather(new Threshold(settings.tau(), Threshold.Adaptation.USUAL)),
                        settings);
            case POWERSGD ->
                new NamedReduction.Factored(PowerSgd.of(PowerSgdOptions.DEFAULT
                        .withRank(settings.rank())
                        .withStartStep(settings.warmUpSteps())
                        .withFeedback(settings.feedsBack())));
        };
    }

    private static NamedReduction encoded(CompressionOptions codec, CodecSettings settings) {
        return new NamedReduction.Encoded(
                CompressedAllReduce.of(codec.withWarmUp(settings.warmUpSteps()).withFeedback(settings.feedsBack())));
    }

    /** {@return whether it takes matrices, and of other tensors nothing off} */
    public boolean needsMatrices() {
        return this == POWERSGD;
    }

    /** {@return the name as the user writes it} */
    @Override
    public String toString() {
        return Names.of(this);
    }
}
