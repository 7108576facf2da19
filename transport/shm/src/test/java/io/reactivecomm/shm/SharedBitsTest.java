package io.reactivecomm.shm;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.testkit.WorldContract;
import io.reactivecomm.testkit.collective.CaseRun;
import io.reactivecomm.testkit.collective.CollectiveCase;
import io.reactivecomm.testkit.collective.CollectiveCase.Kind;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The bits of collectives whose tensors others read where they lie, whose tensors are copied for them, and both: those of the rank order, as
 * everywhere. Floating point, for only there the order shows.
 */
class SharedBitsTest extends WorldContract implements ShmWorlds {

    private static final List<DType> TYPES = List.of(DType.FLOAT32, DType.FLOAT64, DType.FLOAT16, DType.BFLOAT16);

    /** With the opening, in one piece, and in several for all types. */
    private static final List<Long> COUNTS = List.of(1_001L, 40_002L, 300_007L);

    /** @param shared a bit for each rank whose tensors others can read */
    @ParameterizedTest(name = "size={0} {1} shared={2}")
    @CsvSource({
        "2, ALL_REDUCE, 3", "2, ALL_REDUCE, 1", "2, REDUCE_SCATTER, 3", "3, ALL_REDUCE, 7", "3, ALL_REDUCE, 5",
                "3, ALL_REDUCE, 0",
        "3, REDUCE, 7", "3, REDUCE_SCATTER, 2", "3, BROADCAST, 7", "4, BROADCAST, 0", "4, ALL_GATHER, 0",
                "4, ALL_GATHER, 9",
        "5, ALL_REDUCE, 31", "5, ALL_REDUCE, 0", "5, REDUCE_SCATTER, 21"
    })
    void anyMemory_bitsOfTheRankOrder(int size, Kind kind, int shared) {
        List<ProcessGroup> groups = world(size);
        for (DType type : TYPES) {
            for (long count : COUNTS) {
                ReduceOp op = !kind.reduces() ? null : count % 2 == 0 ? ReduceOp.AVG : ReduceOp.SUM;
                CollectiveCase wanted = new CollectiveCase(
                        kind, type, op, count / (kind == Kind.REDUCE_SCATTER ? size : 1), size - 1, true);
                List<Tensor> tensors = new ArrayList<>();
                CaseRun run = new CaseRun(wanted, size, (int) count, (rank, each, elements) -> {
                    boolean isShared = (shared >> rank & 1) != 0;
                    tensors.add(isShared ? groups.get(rank).allocate(each, elements) : Tensor.allocate(each, elements));
                    return tensors.getLast();
                });
                all(groups, run::assemble);
                run.verify();
                tensors.forEach(Tensor::close);
            }
        }
    }
}
