package io.reactivecomm.samples.pytorch;

import org.bytedeco.javacpp.LongPointer;
import org.bytedeco.pytorch.BatchNorm2dImpl;
import org.bytedeco.pytorch.BatchNormOptions;
import org.bytedeco.pytorch.Conv2dImpl;
import org.bytedeco.pytorch.Conv2dOptions;
import org.bytedeco.pytorch.LinearImpl;
import org.bytedeco.pytorch.Module;
import org.bytedeco.pytorch.Tensor;

/** A small network for images of 8 × 8: two convolutions, the first with batch normalization, and a linear layer. */
final class DigitsNet extends Module {

    private static final int SIDE = 8;
    private static final int KERNEL = 3;
    private static final int FIRST = 16;
    private static final int SECOND = 32;
    private static final int CLASSES = 10;
    /** Each convolution takes a pixel off each side. */
    private static final int FEATURES = SECOND * (SIDE - 4) * (SIDE - 4);

    private final Conv2dImpl first = register_module("first", convolution(1, FIRST));
    private final BatchNorm2dImpl norm = register_module("norm", new BatchNorm2dImpl(new BatchNormOptions(FIRST)));
    private final Conv2dImpl second = register_module("second", convolution(FIRST, SECOND));
    private final LinearImpl last = register_module("last", new LinearImpl(FEATURES, CLASSES));

    private static Conv2dImpl convolution(int from, int to) {
        return new Conv2dImpl(new Conv2dOptions(from, to, new LongPointer(KERNEL, KERNEL)));
    }

    /** {@return the scores of the ten digits} @param images a row of pixels for each */
    Tensor forward(Tensor images) {
        Tensor values =
                norm.forward(first.forward(images.reshape(-1, 1, SIDE, SIDE))).relu();
        return last.forward(second.forward(values).relu().reshape(-1, FEATURES));
    }
}
