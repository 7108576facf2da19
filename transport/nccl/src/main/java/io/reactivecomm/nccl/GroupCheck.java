package io.reactivecomm.nccl;

import io.reactivecomm.CommException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.spi.EngineGroup;
import io.reactivecomm.spi.Failure;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * The {@link PairAgreement} for those calls of a batch that are one group's.
 *
 * <p><b>Threads.</b> The launch stream's, but for the outcome, which comes on another.
 */
final class GroupCheck {

    private final ProcessGroup control;
    private final EngineGroup group;
    private final int number;
    private final Runnable look;
    private final List<LiveCall> calls = new ArrayList<>();
    private final List<PairLengths> lengths = new ArrayList<>();
    /** Where the lengths of each call are. */
    private final Map<LiveCall, Part> parts = new HashMap<>();

    private Disposable comparison = Disposables.disposed();
    private volatile PairAgreement.@Nullable Outcome outcome;
    private volatile @Nullable Throwable failure;

    private record Part(int from, int to) {}

    /**
     * One without calls.
     *
     * @param number how many the group has had before
     * @param look is told when it is over
     */
    GroupCheck(ProcessGroup control, EngineGroup group, int number, Runnable look) {
        this.control = control;
        this.group = group;
        this.number = number;
        this.look = look;
    }

    void add(LiveCall call, List<PairLengths> own) {
        parts.put(call, new Part(lengths.size(), lengths.size() + own.size()));
        calls.add(call);
        lengths.addAll(own);
    }

    void begin() {
        comparison = PairAgreement.of(control, group, number, lengths).subscribe(this::agreed, this::failed);
    }

    private void agreed(PairAgreement.Outcome reached) {
        outcome = reached;
        look.run();
    }

    private void failed(Throwable cause) {
        failure = cause;
        look.run();
    }

    /** {@return whether there is nothing to wait for} So it is, too, if all its calls have failed for another reason. */
    boolean isOver() {
        return outcome != null || failure != null || calls.stream().allMatch(LiveCall::isFailed);
    }

    /** Fails the calls if ranks differ, or could not compare. It is over. */
    void tell() {
        comparison.dispose();
        Throwable thrown = failure;
        PairAgreement.Outcome reached = outcome;
        if (thrown != null) {
            calls.forEach(call -> call.fail(failure(call, thrown)));
        } else if (reached != null) {
            reached.fault().ifPresent(fault -> calls.forEach(call -> call.fail(fault)));
        }
    }

    private static Failure failure(LiveCall call, Throwable thrown) {
        EngineGroup group = call.turn().group();
        return thrown instanceof CommException error ? Failure.of(error, group.worldRanks().get(group.rank())) : Faults.of(call, thrown);
    }

    /** {@return for each of the call's lengths: whether its root has said that its parts are equal} */
    List<Boolean> regular(LiveCall call) {
        PairAgreement.Outcome reached = outcome;
        Part part = parts.get(call);
        return reached == null || part == null ? List.of() : reached.regular().subList(part.from, part.to);
    }
}
