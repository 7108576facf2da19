package io.reactivecomm.rcomm.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.Bits;
import io.reactivecomm.DType;
import io.reactivecomm.Operation;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.internal.schedule.Layout;
import io.reactivecomm.internal.schedule.choice.Offer;
import io.reactivecomm.internal.schedule.choice.Selection;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The library's table beside the model: among many hosts, too, steps are not paid for that bytes do not give back. */
class TableByModelTest {

    /** How many times as long as with the best algorithm a call may take: the table's conditions are few, and their numbers round. */
    private static final double MOST = 2;

    private static final List<Long> BYTES = List.of(128L << 10, 512L << 10, 2L << 20, 16L << 20);

    private static final List<Long> FEW_BYTES = List.of(4L, 4L << 10, 32L << 10);

    /** At 10 Gbit/s between hosts. */
    private static final LinkModel MODEL =
            new LinkModel(new LinkModel.Way(20, 10), new LinkModel.Way(2, 80), 1, 256 << 10);

    @ParameterizedTest
    @CsvSource({"2, 2", "2, 8", "4, 2", "4, 4", "8, 3", "16, 2", "64, 2", "16, 8"})
    void rowsThatGoByHosts_areNotMuchSlowerThanTheBest(int hosts, int perHost) {
        Layout layout = Layout.over(hosts, hosts * perHost);
        for (Operation operation : List.of(Operation.ALL_REDUCE, Operation.REDUCE_SCATTER)) {
            for (DType type : List.of(DType.FLOAT32, DType.INT32)) {
                BYTES.forEach(bytes -> requireGood(HypotheticalCall.of(operation, layout, bytes, type, ReduceOp.SUM)));
            }
        }
    }

    /** A leader that tells each rank of its host by itself spends its own time on each. */
    @ParameterizedTest
    @CsvSource({"2, 2", "2, 8", "4, 8", "2, 16", "2, 64", "16, 64"})
    void smallBroadcasts_areNotMuchSlowerThanTheBest(int hosts, int perHost) {
        requireGoodBroadcasts(Layout.over(hosts, hosts * perHost), FEW_BYTES);
    }

    /** Hosts of many ranks are left out: those read at once what lies in the leader's memory, and the model has its way out carry it to one after the other. */
    @ParameterizedTest
    @CsvSource({"2, 2", "2, 8", "4, 8", "2, 16"})
    void largeBroadcasts_areNotMuchSlowerThanTheBest(int hosts, int perHost) {
        requireGoodBroadcasts(Layout.over(hosts, hosts * perHost), BYTES);
    }

    private static void requireGoodBroadcasts(Layout layout, List<Long> sizes) {
        sizes.forEach(bytes ->
                requireGood(HypotheticalCall.of(Operation.BROADCAST, layout, bytes, DType.FLOAT32, ReduceOp.SUM)));
    }

    private static void requireGood(HypotheticalCall call) {
        String chosen = Selection.DEFAULT
                .algorithm(call.signature(), call.layout(), Bits.RANK_ORDER)
                .name();
        List<PlanRow> rows = Selection.DEFAULT.within(64 << 10).offers(call.signature(), call.layout()).stream()
                .filter(offer -> offer.keepsBits(call.signature()))
                .map((Offer offer) -> PlanRow.of(call, offer, offer.name().equals(chosen), MODEL))
                .toList();
        double best = rows.stream().mapToDouble(PlanRow::predictedMicros).min().orElseThrow();
        double taken = rows.stream()
                .filter(PlanRow::chosen)
                .mapToDouble(PlanRow::predictedMicros)
                .findFirst()
                .orElseThrow();
        assertThat(taken)
                .as("%s of %d bytes, %s, by %s", call.operation(), call.bytes(), call.type(), chosen)
                .isLessThanOrEqualTo(MOST * best);
    }
}
