package io.reactivecomm.rcomm.compressed;

import io.reactivecomm.Tensor;
import io.reactivecomm.compression.BlockQuantization;
import io.reactivecomm.samples.programs.codec.CodecChoice;
import io.reactivecomm.samples.programs.codec.CodecSettings;

/** A check of sums, by arithmetic of its own. */
interface ResultCheck {

    /**
     * {@return how many elements are wrong}
     *
     * @param isFirst whether nothing was fed back into it; that of later steps is known only as far as errors are bounded
     */
    long wrong(Tensor result, boolean isFirst);

    /** {@return what tells whether the sums of a codec with the usual settings are right} */
    static ResultCheck of(CodecChoice codec, CompressionInputs inputs) {
        return switch (codec) {
            case ONE_BIT -> new OneBitCheck(inputs);
            case INT8 -> BoundedCheck.ofCodec(inputs, BlockQuantization.int8());
            case INT4 -> BoundedCheck.ofCodec(inputs, BlockQuantization.int4());
            case TOP_K -> new TopKCheck(inputs, CodecSettings.DEFAULT_DENSITY);
            case THRESHOLD -> new ThresholdCheck(inputs, (float) CodecSettings.DEFAULT_TAU);
            case POWERSGD -> BoundedCheck.ofFactors(inputs);
        };
    }
}
