package io.reactivecomm.internal.train;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.Move;
import io.reactivecomm.kernel.HostMoves;
import io.reactivecomm.kernel.Kernels;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.Parameter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The sums of gradients over the micro-steps of a group, for programs whose gradients arrive fresh: from the left, in the gradient's type, one rounding an addition.
 *
 * <p><b>Buffers.</b> One tensor for each parameter that a local micro-step has had, kept from group to group and freed by the garbage collector.
 *
 * <p><b>Threads.</b> One at a time.
 */
final class GradientSums {

    private final Map<String, Tensor> sums = new HashMap<>();
    /** The sums of the present group. */
    private final Set<String> used = new HashSet<>();

    /** Begins a group: earlier sums count no longer. */
    void clear() {
        used.clear();
    }

    /** Adds a gradient of a local micro-step. {@return the sum so far} */
    Gradient add(Gradient gradient) {
        String why = refusal(Parameter.of(gradient));
        if (why != null) {
            throw new InvalidCallException("a gradient cannot be accumulated by the library: name=" + gradient.name()
                    + ", tensor=" + gradient.tensor() + ", why=" + why
                    + "; let the framework add it up, with Accumulation.FRAMEWORK");
        }
        Tensor tensor = gradient.tensor();
        boolean isFirst = used.add(gradient.name());
        Tensor sum = sums.get(gradient.name());
        if (sum == null || isFirst && !isAlike(sum, tensor)) {
            MemorySegment memory = Arena.ofAuto().allocate(Math.max(1, tensor.byteSize()), Long.BYTES);
            sum = Tensor.wrap(memory.asSlice(0, tensor.byteSize()), tensor.type(), tensor.shape());
            sums.put(gradient.name(), sum);
        }
        if (isFirst) {
            HostMoves.run(List.of(Move.copy(tensor, sum)));
        } else {
            fold(sum, gradient, sum);
        }
        return new Gradient(gradient.name(), sum);
    }

    /** Adds the sum to the gradient of the last micro-step, in its memory. {@return that gradient} */
    Gradient addTo(Gradient last) {
        Tensor sum = sums.get(last.name());
        if (sum != null && used.contains(last.name())) {
            fold(sum, last, last.tensor());
        }
        return last;
    }

    private void fold(Tensor sum, Gradient gradient, Tensor target) {
        if (!isAlike(sum, gradient.tensor()) || gradient.rows() != null) {
            throw new InvalidCallException("a gradient changed between the micro-steps of a group: name="
                    + gradient.name() + ", before=" + sum + ", now=" + gradient.tensor()
                    + "; produce the same type and number of elements in each");
        }
        Kernels.add(sum, gradient.tensor(), target);
    }

    private static boolean isAlike(Tensor sum, Tensor other) {
        return sum.type() == other.type()
                && sum.count() == other.count()
                && other.device().equals(Device.CPU);
    }

    /** {@return the reason why gradients of a parameter are not added up here; null if they are} */
    static @Nullable String refusal(Parameter parameter) {
        if (parameter.isSparse()) {
            return "it is sparse";
        }
        if (!parameter.device().equals(Device.CPU)) {
            return "it is on a device";
        }
        return ReduceOp.SUM.supports(parameter.type()) ? null : "its type has no sums";
    }
}
