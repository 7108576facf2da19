package io.reactivecomm.internal.transfer;

import io.reactivecomm.internal.schedule.Wait;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A step of a schedule while it runs.
 *
 * <p>It counts its elements in order; {@link #progress} says how many it has dealt with, and those who wait for it follow. Owned by the
 * loop.
 */
public abstract sealed class Run permits SendRun, ReceiveRun, FoldRun, CopyRun {

    /** {@link #limit()} of a step that may not even begin. */
    static final long BLOCKED = -1;

    private static final Run[] NO_RUNS = new Run[0];
    private static final boolean[] NO_FLAGS = new boolean[0];

    final Transfer transfer;
    final long count;
    private Run[] followers = NO_RUNS;
    private int followerCount;
    private boolean followedInParts;
    private Run[] waitsFor = NO_RUNS;
    private boolean[] waitsForAll = NO_FLAGS;
    private @Nullable Watcher watcher;
    private long progress;
    private boolean done;

    Run(Transfer transfer, long count) {
        this.transfer = transfer;
        this.count = count;
    }

    /** Takes the progress of a step. */
    @FunctionalInterface
    public interface Watcher {

        void progressed(long from, long count);
    }

    final void watch(Watcher each) {
        watcher = each;
    }

    /** Goes as far as it can now. */
    abstract void advance();

    /** Lets go of what it holds; the call has failed. */
    void abandon() {}

    /** @param first where the runs of this one's schedule begin */
    final void waitFor(List<Wait> waits, Run[] runs, int first) {
        if (waits.isEmpty()) {
            return;
        }
        waitsFor = new Run[waits.size()];
        waitsForAll = new boolean[waits.size()];
        for (int i = 0; i < waits.size(); i++) {
            Run other = runs[first + waits.get(i).step()];
            waitsFor[i] = other;
            waitsForAll[i] = waits.get(i).whole() || other.count == 0;
            other.follow(this, waitsForAll[i]);
        }
    }

    private void follow(Run follower, boolean waitsForAll) {
        followedInParts |= !waitsForAll;
        if (followerCount == followers.length) {
            followers = Arrays.copyOf(followers, followerCount == 0 ? 1 : followerCount * 2);
        }
        followers[followerCount++] = follower;
    }

    /** {@return whether anybody goes on with a part of it before all of it is dealt with} */
    final boolean isFollowedInParts() {
        return followedInParts || watcher != null;
    }

    /** {@return how many elements may be touched, as far as other steps are concerned, or {@link #BLOCKED}} */
    final long limit() {
        long limit = count;
        for (int i = 0; i < waitsFor.length; i++) {
            if (!waitsForAll[i]) {
                limit = Math.min(limit, waitsFor[i].progress);
            } else if (!waitsFor[i].done) {
                return BLOCKED;
            }
        }
        return limit;
    }

    final long progress() {
        return progress;
    }

    final boolean isDone() {
        return done;
    }

    /** Counts elements as dealt with and lets the followers go on; the step is done when all are. */
    final void progressTo(long elements) {
        long before = progress;
        progress = elements;
        if (elements == count && !done) {
            done = true;
            transfer.runDone();
        }
        if (watcher != null) {
            watcher.progressed(before, elements - before);
        }
        for (int i = 0; i < followerCount; i++) {
            followers[i].advance();
        }
    }
}
