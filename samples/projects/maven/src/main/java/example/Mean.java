package example;

import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;

/** The mean of one number of each rank. */
public final class Mean {

    private Mean() {}

    public static void main(String[] arguments) {
        float mean = ReactiveComm.using(group -> {
            try (Tensor own = Tensor.of(new float[] {group.rank()})) {
                group.allReduce(own, ReduceOp.SUM).block();
                return own.toFloatArray()[0] / group.size();
            }
        });
        System.out.println("mean=" + mean);
    }
}
