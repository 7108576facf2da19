package io.reactivecomm.hook;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The hooks that a run of a chain has subscribed to. One is open, and has its place among the steps, once it has subscribed to what is in front of it, or
 * has returned.
 *
 * <pre>
 *   begins(2) ──&gt; begins(1) ──&gt; begins(0) ──&gt; gradients          0 stands for the chain's source
 *   opening 2     2 is open     1 is open
 *                 opening 1
 * </pre>
 *
 * <p><b>Threads.</b> Any.
 */
final class HookOpenings {

    private enum State {
        NONE,
        OPENING,
        OPEN
    }

    /** The answer to somebody who subscribes to a hook. */
    enum Entry {
        /** He is at it until his subscription has {@link #returned} or {@linkplain #threw thrown}. */
        FIRST,
        /** He goes on, and an operator that reduces refuses him. */
        AGAIN,
        /** He is refused here: another thread is at the hook, and it is open on all that count on it only when that one is through. */
        BESIDE,
        /** He comes after the end. */
        LATE
    }

    private final State[] hooks;
    /** The threads that are at hooks in {@link State#OPENING}. */
    private final @Nullable Thread[] owners;

    private final List<Runnable> waiting = new ArrayList<>();
    /** The hooks that somebody is at; until the run has begun, the run itself. */
    private int opening = 1;

    private boolean hasStarted;
    private boolean isOver;

    HookOpenings(int hooks) {
        this.hooks = new State[hooks + 1];
        this.owners = new Thread[hooks + 1];
        Arrays.fill(this.hooks, State.NONE);
    }

    /** Somebody subscribes to a hook. Who comes after the end is late, unless it is to leave one at once that nobody else came to. */
    Entry begins(int hook, boolean leaves) {
        Entry entry = enter(hook, leaves);
        boolean goesOn = entry == Entry.FIRST || entry == Entry.AGAIN;
        if (goesOn && !leaves && hook + 1 < hooks.length) {
            settled(hook + 1, State.OPEN);
        }
        started().forEach(Runnable::run);
        return entry;
    }

    /** The run has begun, in its turn: its hooks say now who is at them. */
    private synchronized List<Runnable> started() {
        if (hasStarted) {
            return List.of();
        }
        hasStarted = true;
        return oneLess();
    }

    private synchronized Entry enter(int hook, boolean leaves) {
        if (isOver && (!leaves || hooks[hook] != State.NONE)) {
            return Entry.LATE;
        }
        if (hooks[hook] == State.OPENING) {
            // On one thread the second is done before the first goes on.
            return owners[hook] == Thread.currentThread() ? Entry.AGAIN : Entry.BESIDE;
        }
        if (hook == 0 || hooks[hook] == State.OPEN) {
            return Entry.AGAIN;
        }
        hooks[hook] = State.OPENING;
        owners[hook] = Thread.currentThread();
        opening++;
        return Entry.FIRST;
    }

    /** The first subscription has returned. */
    void returned(int hook) {
        settled(hook, State.OPEN);
    }

    /**
     * It has thrown: unless it was open before, nobody has subscribed to it.
     *
     * @return whether it is to be left, since the run is over; {@link #left} is called after that
     */
    boolean threw(int hook) {
        if (isToBeLeft(hook)) {
            return true;
        }
        settled(hook, State.NONE);
        return false;
    }

    private synchronized boolean isToBeLeft(int hook) {
        boolean isToBeLeft = isOver && hooks[hook] == State.OPENING;
        if (isToBeLeft) {
            hooks[hook] = State.NONE;
            owners[hook] = null;
        }
        return isToBeLeft;
    }

    private void settled(int hook, State to) {
        leaveOpening(hook, to).forEach(Runnable::run);
    }

    private synchronized List<Runnable> leaveOpening(int hook, State to) {
        if (hooks[hook] != State.OPENING) {
            return List.of();
        }
        hooks[hook] = to;
        owners[hook] = null;
        return oneLess();
    }

    private synchronized List<Runnable> oneLess() {
        opening--;
        if (opening > 0) {
            return List.of();
        }
        List<Runnable> all = List.copyOf(waiting);
        waiting.clear();
        return all;
    }

    /**
     * The run is over. {@return the hooks that nobody has subscribed to, the first in front first}
     * They are to be subscribed to and left, after which {@link #left} is called: what comes behind waits for that.
     */
    synchronized List<Integer> end() {
        isOver = true;
        opening++;
        return IntStream.range(1, hooks.length)
                .filter(hook -> hooks[hook] == State.NONE)
                .boxed()
                .toList();
    }

    /** All those have been left. */
    void left() {
        oneLess().forEach(Runnable::run);
    }

    /** {@return whether somebody is at one of them} Then what comes behind is run when nobody is any more, on the thread of the last. */
    synchronized boolean holdUp(Runnable next) {
        return opening > 0 && waiting.add(next);
    }
}
