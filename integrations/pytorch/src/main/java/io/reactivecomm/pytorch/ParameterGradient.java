package io.reactivecomm.pytorch;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.train.Gradient;
import java.util.function.Consumer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.pytorch.GradMode;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorBase;
import org.bytedeco.pytorch.TensorOptions;
import org.bytedeco.pytorch.VoidTensorHook;
import org.bytedeco.pytorch.global.torch;

/**
 * The gradient of one parameter: its home in a bucket, which is the parameter's {@code .grad} while that is defined, and the hook that autograd calls before it accumulates there.
 *
 * <p>The home is a tensor over foreign memory and not a view of a larger tensor, because {@code zero_grad} detaches gradients and refuses views.
 *
 * <p><b>Threads.</b> That of the backward pass; between passes, that of the step's end.
 */
final class ParameterGradient {

    private final ModelTensor parameter;
    private final Gradient home;
    private final Tensor gradient;
    private final boolean sums;
    private final Hook hook;
    private final int hookNumber;

    /** The hook has fired in the present pass. */
    private boolean isInPass;
    /** The hook has fired since the last reduction. */
    private boolean isPresent;
    /** The home holds a reduced gradient, unless the program has zeroed it. */
    private boolean isReduced;

    /**
     * @param home a gradient whose tensor stays valid until {@link #leave}
     * @param sums whether a reduced gradient must not be reduced again
     * @param fires called before autograd accumulates
     */
    ParameterGradient(ModelTensor parameter, Gradient home, boolean sums, Consumer<ParameterGradient> fires) {
        this.parameter = parameter;
        this.home = home;
        this.sums = sums;
        this.gradient = tensor(home);
        this.hook = new Hook(() -> fires.accept(this));
        this.hookNumber = parameter.tensor().register_hook(hook);
    }

    /** The address of foreign memory. */
    private static final class Address extends Pointer {

        private Address(long value) {
            address = value;
        }
    }

    /** The function that autograd calls with a gradient before it accumulates it. */
    private static final class Hook extends VoidTensorHook {

        private final Runnable fires;

        private Hook(Runnable fires) {
            this.fires = fires;
        }

        @Override
        public void call(TensorBase arriving) {
            boolean isDefined = arriving.defined();
            // The argument is a reference of its own: left to the collector, it keeps the gradient.
            arriving.close();
            if (isDefined) {
                fires.run();
            }
        }
    }

    /** {@return a tensor of torch's over the memory of a gradient, laid out as the parameter is} */
    private Tensor tensor(Gradient memory) {
        return torch.from_blob(
                new Address(memory.tensor().address()),
                parameter.shape(),
                parameter.strides(),
                new TensorOptions(parameter.tensor().scalar_type()));
    }

    String name() {
        return home.name();
    }

    void requireUnchanged() {
        parameter.requireUnchanged(home.tensor().type());
    }

    /** A pass begins. */
    void begin() {
        isInPass = false;
    }

    /** {@return whether the hook has fired in the present pass before} */
    boolean isInPass() {
        return isInPass;
    }

    /** {@return whether a pass has produced it since the last reduction} */
    boolean isPresent() {
        return isPresent;
    }

    /** Makes the home the place where autograd accumulates, zeroed if there is no gradient. */
    void prepare() {
        if (GradMode.is_enabled()) {
            throw new InvalidCallException("a backward pass with create_graph=true would replace a gradient: name="
                    + name() + "; call backward without it");
        }
        zeroOrSettle();
        isReduced = false;
        isInPass = true;
        isPresent = true;
    }

    private void zeroOrSettle() {
        Tensor present = parameter.tensor().mutable_grad();
        if (!present.defined()) {
            gradient.zero_();
            present.put(gradient);
        } else {
            settle(present);
        }
    }

    /** Moves a defined gradient into the home. */
    private void settle(Tensor present) {
        if (!present.is_same(gradient)) {
            gradient.copy_(present);
            present.put(gradient);
        } else if (isReduced && sums && gradient.any().item_bool()) {
            throw new InvalidCallException("a gradient would be summed over ranks twice: name=" + name()
                    + "; call zero_grad() before each step, or average gradients");
        }
    }

    /** {@return the notice that the pass has produced it} */
    Gradient produced() {
        if (!parameter.tensor().mutable_grad().is_same(gradient)) {
            throw new InvalidCallException("a gradient was replaced during the backward pass: name=" + name()
                    + "; leave .grad alone until the step has completed");
        }
        return home;
    }

    /**
     * {@return whether the home takes part though no hook has fired in this pass, and how}
     *
     * @param isKept whether buckets sum homes of kept gradients
     */
    Gradient withoutPass(boolean isKept) {
        Tensor present = parameter.tensor().mutable_grad();
        if (isPresent) {
            zeroOrSettle();
            return home;
        }
        if (!present.defined()) {
            return Gradient.absent(name());
        }
        settle(present);
        return isKept ? Gradient.kept(name()) : home;
    }

    /** Takes the reduced gradient, which lies in the home or in memory of the buckets' own. */
    void takeBack(Gradient reduced) {
        if (reduced.tensor() != home.tensor()) {
            gradient.copy_(tensor(reduced));
        }
        Tensor present = parameter.tensor().mutable_grad();
        if (!present.is_same(gradient)) {
            present.put(gradient);
        }
    }

    /** The step has completed on this rank. */
    void reduced() {
        isPresent = false;
        isReduced = true;
    }

    /** The step has failed: leaves no gradient. */
    void reset() {
        isPresent = false;
        isReduced = false;
        parameter.tensor().mutable_grad().reset();
    }

    /** The home, which calls of a cancelled step may still borrow. */
    io.reactivecomm.Tensor home() {
        return home.tensor();
    }

    /** Removes the hook, and gives the parameter a gradient of its own. */
    void leave() {
        parameter.tensor().remove_hook(hookNumber);
        Tensor present = parameter.tensor().mutable_grad();
        if (present.is_same(gradient)) {
            present.put(gradient.clone());
        }
    }
}
