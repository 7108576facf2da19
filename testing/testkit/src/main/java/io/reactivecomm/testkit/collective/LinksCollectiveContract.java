package io.reactivecomm.testkit.collective;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.GuardedMemory;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Flux;

/** The contract of what the engine over links computes: that of every engine, and its own algorithms, asked for by name. */
public abstract class LinksCollectiveContract extends CollectiveContract {

    /** Several pieces, also of what each of three ranks folds of it. */
    private static final long LONG_BYTES = 1 << 20;

    @Tag("smoke")
    @ParameterizedTest(name = "{0}, size={1}")
    @CsvSource({"rank-order-chain, 5", "rank-order-direct, 3"})
    void reduce_asLargeTensorsGo_eachTypeAndReduction_matchesOracle(String algorithm, int size) {
        List<ProcessGroup> groups =
                world(size).stream().map(group -> group.algorithm(algorithm)).toList();
        List<CollectiveCase> cases = matrix().reduces(size, LONG_BYTES);
        for (int from = 0; from < cases.size(); from += 8) {
            runTogether(groups, cases.subList(from, Math.min(cases.size(), from + 8)), from, 1);
        }
    }

    /** All worlds of the tests are on one machine, and every rank must know. */
    @ParameterizedTest
    @CsvSource({"1048575, direct", "1048576, rank-order-direct"})
    void reduce_withinOneMachine_isSharedWhereItIsLarge(int count, String algorithm) {
        List<ProcessGroup> groups = world(4);
        try (GuardedMemory memory = new GuardedMemory(home())) {
            List<Tensor> tensors = groups.stream()
                    .map(ignored -> memory.tensor(DType.FLOAT32, count))
                    .toList();
            List<Work> works = Flux.fromIterable(groups)
                    .flatMap(group -> group.reduce(tensors.get(group.rank()), 1, ReduceOp.MAX))
                    .collectList()
                    .block(LIMIT);
            assertThat(works).hasSize(4).extracting(Work::algorithm).containsOnly(algorithm);
        }
    }
}
