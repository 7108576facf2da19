package io.reactivecomm.pytorch;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import org.bytedeco.pytorch.LinearImpl;
import org.bytedeco.pytorch.Module;
import org.bytedeco.pytorch.SGD;
import org.bytedeco.pytorch.SGDOptions;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/** The first program of docs/pytorch.md. */
final class FirstProgram {

    static final class Net extends Module {

        private final LinearImpl first = register_module("first", new LinearImpl(8, 32));
        private final LinearImpl second = register_module("second", new LinearImpl(32, 1));

        Tensor forward(Tensor input) {
            return second.forward(first.forward(input).relu());
        }
    }

    public static void main(String[] arguments) {
        TorchNatives.load();
        ProcessGroup world = ReactiveComm.connect().block();
        torch.manual_seed(world.rank());
        Net net = new Net();
        SGD optimizer = new SGD(net.parameters(), new SGDOptions(0.05));
        try (world;
                DistributedDataParallel ddp = DistributedDataParallel.of(net, world)) {
            for (int step = 0; step < 100; step++) {
                Tensor input = torch.randn(64, 8);
                Tensor target = input.sum(new long[] {1}).reshape(64, 1);
                optimizer.zero_grad();
                Tensor loss = ddp.step(() -> torch.mse_loss(net.forward(input), target))
                        .block();
                optimizer.step();
                if (step % 20 == 0) {
                    System.out.printf("rank %d step %d loss %.4f%n", world.rank(), step, loss.item_float());
                }
            }
        }
    }
}
