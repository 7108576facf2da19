package io.reactivecomm.testkit.collective;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CustomReduction;
import io.reactivecomm.DType;
import io.reactivecomm.Operation;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import io.reactivecomm.UnsupportedCollectiveException;
import io.reactivecomm.device.Device;
import io.reactivecomm.testkit.GuardedMemory;
import io.reactivecomm.testkit.WorldContract;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Mono;

/** The contract of {@link ProcessGroup#supports}: it is true for exactly the accepted calls, for each operation, type, reduction and device. */
public abstract class SupportsContract extends WorldContract {

    private static final int SIZE = 2;

    /** The most places in which a home puts tensors. */
    private static final int PLACES = 3;

    private static List<Reduction> reductions() {
        List<Reduction> all = new ArrayList<>(List.of(ReduceOp.values()));
        all.add(new PreMulSum(0.5));
        all.add(CustomReduction.ofFloats("greater", Math::max));
        all.add(CustomReduction.ofIntegers("either", (a, b) -> a | b));
        return all;
    }

    /** The tensors of one rank: two of one element, and two of one for each rank. */
    private record Row(Tensor one, Tensor other, Tensor all, Tensor others) {

        static Row of(GuardedMemory memory, int place, DType type) {
            return new Row(
                    memory.tensor(place, type, 1),
                    memory.tensor(place, type, 1),
                    memory.tensor(place, type, SIZE),
                    memory.tensor(place, type, SIZE));
        }

        List<Tensor> parts(boolean isRoot) {
            return isRoot ? List.of(all.slice(0, 1), all.slice(1, 1)) : List.of();
        }
    }

    @Tag("smoke")
    @ParameterizedTest
    @EnumSource
    void supports_isTrueOfExactlyTheCallsThatAreAccepted(DType type) {
        inSharedWorld(SIZE, groups -> {
            List<Device> devices = new ArrayList<>();
            try (GuardedMemory memory = new GuardedMemory(home())) {
                for (int place = 0; place < PLACES; place++) {
                    if (!devices.contains(home().device(place))) {
                        devices.add(home().device(place));
                        requireSupported(groups, type, rows(memory, place, type));
                    }
                }
            }
        });
    }

    private static List<Row> rows(GuardedMemory memory, int place, DType type) {
        return IntStream.range(0, SIZE)
                .mapToObj(rank -> Row.of(memory, place, type))
                .toList();
    }

    private static void requireSupported(List<ProcessGroup> groups, DType type, List<Row> rows) {
        for (Operation operation : Operation.values()) {
            List<Reduction> all = operation.reduces() ? reductions() : List.of(ReduceOp.SUM);
            for (Reduction op : all) {
                boolean isSupported = isAlike(groups.stream()
                        .map(group -> group.supports(
                                operation, type, op, rows.getFirst().one.device()))
                        .toList());
                List<Boolean> accepted = groups.stream()
                        .map(group -> accepted(call(group, operation, op, rows.get(group.rank()))))
                        .map(Mono::toFuture)
                        .toList()
                        .stream()
                        .map(each -> Boolean.TRUE.equals(Mono.fromFuture(each).block(LIMIT)))
                        .toList();
                assertThat(isAlike(accepted))
                        .as(
                                "%s of %s by %s on %s",
                                operation, type, op.label(), rows.getFirst().one.device())
                        .isEqualTo(isSupported);
            }
        }
    }

    private static boolean isAlike(List<Boolean> ofAll) {
        assertThat(ofAll.stream().distinct()).as("what ranks say").hasSize(1);
        return ofAll.getFirst();
    }

    private static Mono<Boolean> accepted(Mono<?> call) {
        return call.thenReturn(true).onErrorResume(UnsupportedCollectiveException.class, error -> Mono.just(false));
    }

    private static Mono<?> call(ProcessGroup group, Operation operation, Reduction op, Row row) {
        boolean isRoot = group.rank() == 0;
        return switch (operation) {
            case ALL_REDUCE -> group.allReduce(row.one, op);
            case INFERENCE_ALL_REDUCE -> group.inferenceAllReduce(row.one, op);
            case REDUCE -> group.reduce(row.one, 0, op);
            case REDUCE_SCATTER -> group.reduceScatter(row.all, row.one, op);
            case BROADCAST -> group.broadcast(row.one, 0);
            case ALL_GATHER -> group.allGather(row.one, row.all);
            case ALL_TO_ALL -> group.allToAll(row.all, row.others);
            case GATHER -> group.gather(row.one, row.parts(isRoot), 0);
            case SCATTER -> group.scatter(row.parts(isRoot), row.one, 0);
            case MESSAGE -> isRoot ? group.send(row.one, 1, 0) : group.receive(row.one, 0, 0);
            case COALESCED ->
                group.coalesce(scope -> scope.broadcast(row.one, 0).broadcast(row.other, 1));
            case BARRIER -> group.barrier();
            case MONITORED_BARRIER -> group.monitoredBarrier(LIMIT, true);
            case NEW_GROUP -> group.newGroup(0, 1).doOnNext(ProcessGroup::close);
        };
    }
}
