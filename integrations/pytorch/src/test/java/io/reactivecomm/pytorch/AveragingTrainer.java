package io.reactivecomm.pytorch;

import ai.djl.Model;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.Parameter;
import ai.djl.training.Trainer;
import ai.djl.training.TrainingConfig;
import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.stream.Stream;

/** A trainer of DJL that averages gradients over the ranks before each step of its optimizer: the recipe of docs/pytorch.md. */
final class AveragingTrainer extends Trainer {

    private final ProcessGroup group;

    AveragingTrainer(Model model, TrainingConfig config, ProcessGroup group) {
        super(model, config);
        this.group = group;
    }

    @Override
    public void initialize(Shape... shapes) {
        super.initialize(shapes);
        group.coalesce(scope -> parameters().forEach(each -> scope.broadcast(view(each.getArray()), 0)))
                .block();
    }

    @Override
    public void step() {
        Stream<Parameter> trained = parameters().filter(each -> each.getArray().hasGradient());
        group.allReduceCoalesced(
                        trained.map(each -> view(each.getArray().getGradient())).toList(), ReduceOp.AVG)
                .block();
        super.step();
    }

    private Stream<Parameter> parameters() {
        return getModel().getBlock().getParameters().values().stream();
    }

    /** The argument true asks for a buffer over the array's own memory. */
    private static Tensor view(NDArray array) {
        MemorySegment memory = MemorySegment.ofBuffer(array.toByteBuffer(true));
        return Tensor.wrap(memory, DType.FLOAT32, array.size());
    }
}
