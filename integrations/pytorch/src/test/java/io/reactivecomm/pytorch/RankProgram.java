package io.reactivecomm.pytorch;

import io.reactivecomm.CommException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.pytorch.Models.Branches;
import java.util.Arrays;
import java.util.List;
import org.bytedeco.pytorch.SGD;
import org.bytedeco.pytorch.SGDOptions;
import org.bytedeco.pytorch.Tensor;

/** The program of {@link ProcessesTest}: trains, then loses rank 1, and continues alone. */
final class RankProgram {

    private static final int STEPS = 5;

    private RankProgram() {}

    public static void main(String[] arguments) {
        TorchNatives.load();
        ProcessGroup world = ReactiveComm.connect().block();
        Branches model = Models.filled(new Branches(), world.rank());
        SGD optimizer = new SGD(model.parameters(), new SGDOptions(0.05));
        DistributedDataParallel ddp = DistributedDataParallel.of(model, world);
        for (int step = 0; step < STEPS; step++) {
            Tensor input = Models.values(2 * step + world.rank(), 3, 4);
            optimizer.zero_grad();
            ddp.step(() -> Models.loss(model.forward(input, true))).block();
            optimizer.step();
        }
        System.out.println("parameters " + hash(Models.parameters(model)));
        if (world.rank() == 1) {
            Runtime.getRuntime().halt(0);
        }
        Tensor input = Models.values(0, 3, 4);
        try {
            ddp.step(() -> Models.loss(model.forward(input, true))).block();
            throw new AssertionError("a step without rank 1 has succeeded");
        } catch (CommException e) {
            System.out.println("lost " + e.getMessage());
        }
        world.ended().onErrorComplete().block();
        ddp.noSync(() -> Models.loss(model.forward(input, true)).backward());
        List<float[]> local = Models.gradients(model);
        ddp.close();
        world.close();
        System.out.println("kept " + (hash(Models.gradients(model)) == hash(local)));
    }

    private static int hash(List<float[]> values) {
        return values.stream().map(Arrays::hashCode).toList().hashCode();
    }
}
