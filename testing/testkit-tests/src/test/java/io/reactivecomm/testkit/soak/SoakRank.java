package io.reactivecomm.testkit.soak;

import io.reactivecomm.CoalesceScope;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Work;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import reactor.core.publisher.Mono;

/**
 * One rank of the soak: turn after turn the same calls as all others.
 *
 * <p>They are drawn anew every so often, from few kinds at a time: a compiler that has seen only some branches meets the others afterwards.
 *
 * <p><b>Threads.</b> One turn at a time, on the loop that ended the one before.
 */
final class SoakRank implements AutoCloseable {

    private static final int[] COUNTS = {1, 3, 7, 64, 257};
    private static final int PLACES = 12;
    private static final int PHASE_TURNS = 150;
    private static final int TAG = 7;

    private final ProcessGroup group;
    private final long seed;
    private final List<SoakCall> places = new ArrayList<>();
    private List<SoakCall.Kind> kinds = List.of();

    /** @param seed the same on all ranks */
    SoakRank(ProcessGroup group, long seed) {
        this.group = group;
        this.seed = seed;
        for (int i = 0; i < PLACES; i++) {
            places.add(SoakCall.of(i, group.rank(), group.size(), COUNTS[i % COUNTS.length]));
        }
    }

    /** {@return a turn of one scope and one call alone, which fails where a result is wrong} */
    Mono<Void> turn(long turn) {
        if (turn % PHASE_TURNS == 0) {
            kinds = draw(new Random(seed + turn));
        }
        places.forEach(place -> place.fill(turn));
        return group.coalesce(scope -> addCalls(turn, scope))
                .doOnNext(work -> requireCalls(turn))
                .then(Mono.defer(() -> alone(turn)));
    }

    private static List<SoakCall.Kind> draw(Random random) {
        List<SoakCall.Kind> some = new ArrayList<>();
        for (SoakCall.Kind kind : SoakCall.Kind.values()) {
            if (random.nextInt(3) == 0) {
                some.add(kind);
            }
        }
        List<SoakCall.Kind> from = some.isEmpty() ? List.of(SoakCall.Kind.values()) : some;
        return random.ints(1 + random.nextInt(PLACES), 0, from.size())
                .mapToObj(from::get)
                .toList();
    }

    private void addCalls(long turn, CoalesceScope scope) {
        for (int i = 0; i < kinds.size(); i++) {
            places.get(i).addTo(scope, kinds.get(i), turn);
        }
    }

    private void requireCalls(long turn) {
        for (int i = 0; i < kinds.size(); i++) {
            places.get(i).require(kinds.get(i), turn);
        }
    }

    private Mono<Void> alone(long turn) {
        SoakCall place = places.getFirst();
        place.fill(turn);
        return switch ((int) (turn % 4)) {
            case 0 -> group.barrier().then();
            case 1 ->
                group.allGather(place.input(), place.gathered())
                        .doOnNext(work -> place.require(SoakCall.Kind.ALL_GATHER, turn))
                        .then();
            case 2 ->
                group.allReduce(place.input(), ReduceOp.SUM)
                        .doOnNext(work -> place.require(SoakCall.Kind.IN_PLACE, turn))
                        .then();
            default -> exchange(place);
        };
    }

    private Mono<Void> exchange(SoakCall place) {
        int size = group.size();
        int next = (group.rank() + 1) % size;
        int previous = (group.rank() + size - 1) % size;
        List<Mono<Work>> calls =
                List.of(group.send(place.input(), next, TAG), group.receive(place.output(), previous, TAG));
        return group.batch(calls).then();
    }

    @Override
    public void close() {
        places.forEach(SoakCall::close);
    }
}
