package io.reactivecomm.nccl;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The launch of calls, of any communicators, between one start and one end of a group of NCCL: it merges them, and all ranks have to make the same groups.
 *
 * <p><b>Threads.</b> The launch stream's.
 */
final class GroupLaunch {

    private final LaunchContext context;
    private final Set<NcclGroup> groups = new LinkedHashSet<>();
    private final List<PlannedCall> calls;
    private final List<PlannedCall> leftOut;

    private GroupLaunch(LaunchContext context, List<PlannedCall> planned) {
        this.context = context;
        planned.stream()
                .map(PlannedCall::group)
                .distinct()
                .filter(NcclGroup::lock)
                .forEach(groups::add);
        this.calls =
                planned.stream().filter(each -> groups.contains(each.group())).toList();
        this.leftOut =
                planned.stream().filter(each -> !groups.contains(each.group())).toList();
    }

    /**
     * Has all on the stream, with the copies before and behind them. A call whose communicator is ending fails; one whose communicator fails meanwhile fails.
     *
     * @throws NcclException if none is launched
     */
    static void of(LaunchContext context, List<PlannedCall> planned) {
        GroupLaunch launch = new GroupLaunch(context, planned);
        NcclResult state;
        try {
            state = launch.issue();
        } finally {
            launch.groups.forEach(NcclGroup::unlock);
        }
        launch.leftOut.forEach(each -> context.fail(each.call(), ended()));
        if (state == NcclResult.IN_PROGRESS) {
            launch.groups.forEach(launch::settle);
        }
        launch.calls.stream().filter(each -> !each.call().isFailed()).forEach(launch::end);
    }

    private static IllegalStateException ended() {
        return new IllegalStateException("its communicator has ended");
    }

    private NcclResult issue() {
        if (calls.isEmpty()) {
            return NcclResult.SUCCESS;
        }
        calls.forEach(context.memory()::register);
        calls.forEach(each -> each.plan().begin(context.calls(), each.group().comm()));
        context.calls().groupStart();
        try {
            calls.forEach(each -> each.plan().issue(each.group().comm()));
        } catch (RuntimeException | Error e) {
            endAfter(e);
            throw e;
        }
        return context.calls().groupEnd();
    }

    /** Else the thread would stay in the group. */
    private void endAfter(Throwable cause) {
        try {
            context.calls().groupEnd();
        } catch (NcclException e) {
            cause.addSuppressed(e);
        }
    }

    /** Before it is settled, nothing of it is on the stream for sure. */
    private void settle(NcclGroup group) {
        try {
            context.stream().await(group::isSettled);
        } catch (NcclException e) {
            calls.stream().filter(each -> each.group() == group).forEach(each -> context.fail(each.call(), e));
        }
    }

    private void end(PlannedCall each) {
        if (each.group().lock()) {
            try {
                each.plan().end(context.calls(), each.group().comm());
            } finally {
                each.group().unlock();
            }
        } else {
            context.fail(each.call(), ended());
        }
    }
}
