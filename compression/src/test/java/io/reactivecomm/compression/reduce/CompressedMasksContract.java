package io.reactivecomm.compression.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Masks of compressed all-reduces. */
abstract class CompressedMasksContract extends CompressedWorld {

    /** Errors of masked elements go on as if there were no mask. */
    @Tag("smoke")
    @Test
    void maskedElements_areZeros_inEveryStep_andTheOthersAsWithout() {
        List<ProcessGroup> groups = world(2);
        Mask mask = new Mask(40, List.of(new Mask.Run(0, 1), new Mask.Run(17, 20)));
        CompressionOptions options = ONE_BIT.withWarmUp(1).withMask("x", mask).withMask("y", new Mask(3, List.of()));
        List<CompressedAllReduce> masked = reductions(2, options);
        List<CompressedAllReduce> plain = reductions(2, ONE_BIT.withWarmUp(1));
        for (int i = 0; i < 3; i++) {
            List<Tensor> tensors = inputs(DType.FLOAT32, 40, 2, i);
            List<Tensor> others = inputs(DType.FLOAT32, 40, 2, i);
            requireWell(step(groups, masked, tensors, ReduceOp.AVG));
            requireWell(step(groups, plain, others, ReduceOp.AVG));
            float[] expected = others.getFirst().toFloatArray();
            mask.zeros().forEach(run -> Arrays.fill(expected, (int) run.at(), (int) (run.at() + run.count()), 0));
            assertThat(tensors)
                    .allSatisfy(each -> assertThat(each.toFloatArray()).isEqualTo(expected));
        }
    }

    @Test
    void masksThatDiffer_areAMismatch() {
        List<CompressedAllReduce> reductions = Stream.of(0, 1)
                .map(at ->
                        kept(CompressedAllReduce.of(ONE_BIT.withMask("x", new Mask(4, List.of(new Mask.Run(at, 1)))))))
                .toList();
        assertThat(step(world(2), reductions, inputs(DType.FLOAT32, 4, 2, 7), ReduceOp.SUM))
                .allSatisfy(end -> assertThat(end.error())
                        .isInstanceOf(MismatchException.class)
                        .hasMessageContaining("masking 1 tensor"));
    }

    @Test
    void maskOfOtherElements_isAnErrorOnAll() {
        List<CompressedAllReduce> reductions = reductions(2, ONE_BIT.withMask("x", new Mask(5, List.of())));
        assertThat(step(world(2), reductions, inputs(DType.FLOAT32, 4, 2, 7), ReduceOp.SUM))
                .allSatisfy(end -> assertThat(end.error())
                        .isInstanceOf(InvalidCallException.class)
                        .hasMessageContaining("mask=5"));
    }
}
