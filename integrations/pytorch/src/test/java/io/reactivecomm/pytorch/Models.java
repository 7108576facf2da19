package io.reactivecomm.pytorch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.bytedeco.javacpp.LongPointer;
import org.bytedeco.pytorch.BatchNorm2dImpl;
import org.bytedeco.pytorch.BatchNormOptions;
import org.bytedeco.pytorch.Conv2dImpl;
import org.bytedeco.pytorch.Conv2dOptions;
import org.bytedeco.pytorch.LinearImpl;
import org.bytedeco.pytorch.Module;
import org.bytedeco.pytorch.NoGradGuard;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptions;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;

/** Small models with deterministic parameters and data, and the values of their tensors. */
final class Models {

    static {
        TorchNatives.load();
        torch.set_num_threads(1);
    }

    private Models() {}

    /** {@return a deterministic tensor} @param phase another one for another number */
    static Tensor values(double phase, long... shape) {
        long count = Arrays.stream(shape).reduce(1, (a, b) -> a * b);
        return torch.arange(new Scalar(0), new Scalar(count), new TensorOptions(ScalarType.Float))
                .mul(new Scalar(0.7))
                .add(new Scalar(phase))
                .sin()
                .reshape(shape);
    }

    /** Gives all parameters deterministic values. */
    static <M extends Module> M filled(M module, double phase) {
        try (NoGradGuard _ = new NoGradGuard()) {
            TensorVector all = module.parameters();
            for (long i = 0; i < all.size(); i++) {
                Tensor parameter = all.get(i);
                parameter.copy_(
                        values(phase + i, TorchMemory.values(parameter.sizes())).mul(new Scalar(0.3)));
            }
        }
        return module;
    }

    /** Two layers with a branch that a pass may leave out. */
    static final class Branches extends Module {

        final LinearImpl first = register_module("first", new LinearImpl(4, 8));
        final LinearImpl left = register_module("left", new LinearImpl(8, 2));
        final LinearImpl right = register_module("right", new LinearImpl(8, 2));

        Tensor forward(Tensor input, boolean usesRight) {
            Tensor hidden = first.forward(input).relu();
            Tensor output = left.forward(hidden);
            return usesRight ? output.add(right.forward(hidden)) : output;
        }
    }

    /** A convolution and a normalization, whose statistics are buffers. */
    static final class Normalized extends Module {

        final Conv2dImpl convolution =
                register_module("convolution", new Conv2dImpl(new Conv2dOptions(2, 4, new LongPointer(3, 3))));
        final BatchNorm2dImpl norm = register_module("norm", new BatchNorm2dImpl(new BatchNormOptions(4)));
        final LinearImpl last = register_module("last", new LinearImpl(4, 2));

        Tensor forward(Tensor input) {
            return last.forward(norm.forward(convolution.forward(input)).relu().mean(2, 3));
        }
    }

    /** A model whose first and last layer share their weights. */
    static final class Tied extends Module {

        final Tensor weights = new Tensor(register_parameter("encoder", Models.values(0, 4, 4)));
        final Tensor again = new Tensor(register_parameter("decoder", weights));
        final Tensor scale = new Tensor(register_parameter("scale", Models.values(1, 4)));

        Tensor forward(Tensor input) {
            return input.matmul(weights).mul(scale).tanh().matmul(again.t());
        }
    }

    static Tensor loss(Tensor output) {
        return output.mul(output).mean();
    }

    static float[] floats(Tensor tensor) {
        float[] values = new float[(int) tensor.numel()];
        tensor.detach().contiguous().data_ptr_float().get(values);
        return values;
    }

    /** {@return the values of all parameters, one behind the other} */
    static List<float[]> parameters(Module module) {
        List<float[]> all = new ArrayList<>();
        TensorVector parameters = module.parameters();
        for (long i = 0; i < parameters.size(); i++) {
            all.add(floats(parameters.get(i)));
        }
        return all;
    }

    /** {@return the gradients of all parameters; an empty array if it has none} */
    static List<float[]> gradients(Module module) {
        List<float[]> all = new ArrayList<>();
        TensorVector parameters = module.parameters();
        for (long i = 0; i < parameters.size(); i++) {
            Tensor gradient = parameters.get(i).grad();
            all.add(gradient.defined() ? floats(gradient) : new float[0]);
        }
        return all;
    }
}
