package io.reactivecomm.nccl;

import io.reactivecomm.nccl.LaunchStream.LaunchPlace;
import io.reactivecomm.spi.WarningLog;
import io.reactivecomm.spi.engine.EngineGroup;
import io.reactivecomm.spi.engine.EnqueuedHandle;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The calls of a batch that are one group of NCCL, of any communicators.
 *
 * <pre>
 *   parts known on all ranks, where only a root knows them  (before its turn)
 *   planned, and given a place on the device                (first in the queue)
 *   launched between one start and one end                  (once all before it on its tensors is enqueued)
 * </pre>
 *
 * <p>Of a group of which a call has failed on this rank nothing is launched any more: it would meet what other ranks have launched for that call, and take its
 * elements. So what is launched of a group is the same on all its ranks, up to the failure that ends it on all.
 *
 * <p><b>Threads.</b> The launch stream's.
 */
final class CallBatch implements LaunchQueue.Item {

    private static final Logger LOG = WarningLog.of(CallBatch.class);

    /** The name of its way, for people. */
    static final String ALGORITHM = "nccl";

    private final LaunchContext context;
    private final Runnable look;
    private final List<NcclCall> calls;
    private final Map<NcclGroup, RootParts> parts = new LinkedHashMap<>();
    private final List<PlannedCall> planned = new ArrayList<>();
    private @Nullable LaunchPlace place;

    /**
     * One.
     *
     * @param look has the queue look again
     */
    CallBatch(LaunchContext context, List<NcclCall> calls, Runnable look) {
        this.context = context;
        this.calls = List.copyOf(calls);
        this.look = look;
    }

    @Override
    public void prepare() {
        for (NcclCall call : calls) {
            EngineGroup group = call.turn().group();
            List<RootPart> own = context.abilities().movesWhole() ? RootPart.of(call.collective()) : List.of();
            if (!own.isEmpty()) {
                parts.computeIfAbsent(call.group(), of -> new RootParts(context.control(), group, of.nextParts(), look))
                        .add(call, own);
            }
        }
        parts.values().forEach(RootParts::begin);
    }

    @Override
    public boolean isReady() {
        if (!parts.values().stream().allMatch(RootParts::isOver)) {
            return false;
        }
        LaunchPlace own = place;
        if (own != null) {
            return own.isTurn();
        }
        parts.values().forEach(each -> guarded(each::tell));
        calls.forEach(call -> guarded(() -> plan(call)));
        own = place();
        place = own;
        if (own == null || own.isTurn()) {
            return true;
        }
        own.whenTurn(look);
        return false;
    }

    /** {@return the place of all; null if there is none for them, which fails them} */
    private @Nullable LaunchPlace place() {
        try {
            return context.stream()
                    .place(planned.stream().map(PlannedCall::tensors).toList());
        } catch (RuntimeException | Error e) {
            planned.forEach(each -> each.plan().free());
            fail(planned, e);
            return null;
        }
    }

    private void plan(NcclCall call) {
        call.failWithGroup();
        if (call.isFailed()) {
            return;
        }
        RootParts own = parts.get(call.group());
        List<Boolean> regular = own == null ? List.of() : own.regular(call);
        EngineGroup group = call.turn().group();
        try {
            planned.add(new PlannedCall(
                    call,
                    NcclPlanner.plan(context, group.rank(), group.worldRanks().size(), call.collective(), regular)));
        } catch (RuntimeException | Error e) {
            context.fail(call, e);
        }
    }

    @Override
    public void launch() {
        LaunchPlace own = place;
        if (own == null) {
            return;
        }
        List<PlannedCall> begun = begin(own);
        attempt(begun, () -> {
            own.follow();
            GroupLaunch.of(context, begun);
        });
        attempt(begun, own::complete);
        begun.forEach(each -> guarded(each.call()::launched));
    }

    /** {@return the calls that have not failed meanwhile} */
    private List<PlannedCall> begin(LaunchPlace own) {
        List<PlannedCall> begun = new ArrayList<>();
        for (int i = 0; i < planned.size(); i++) {
            PlannedCall each = planned.get(i);
            EnqueuedHandle handle = own.handles().get(i);
            handle.released().subscribe(null, null, each.plan()::free);
            guarded(each.call()::failWithGroup);
            if (each.call().begin(handle)) {
                begun.add(each);
            }
        }
        return begun;
    }

    private void attempt(List<PlannedCall> begun, Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            fail(begun, e);
        }
    }

    private void fail(List<PlannedCall> failed, Throwable cause) {
        failed.forEach(each -> guarded(() -> context.fail(each.call(), cause)));
    }

    /** Who throws when he is told of an end keeps nothing from the other calls. */
    private static void guarded(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            LOG.error("a call's end was told, and who heard of it threw", WarningLog.printable(e));
        }
    }
}
