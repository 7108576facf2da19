package io.reactivecomm.internal.engine;

import io.reactivecomm.spi.CallKey;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * The calls that have begun and not ended: by number, by identity, and from the oldest to the youngest.
 *
 * <p>A program may have thousands in flight and end a million a second, so nothing is allocated for a call: two hash tables and a list are
 * threaded through the calls themselves.
 *
 * <pre>
 *   numbers   [ | | ]     call ── nextByNumber ──&gt; call
 *   keys      [ | | ]     call ── nextByKey ─────&gt; call
 *   oldest ──&gt; call &lt;── older / younger ──&gt; call &lt;── youngest
 * </pre>
 *
 * Owned by the loop.
 */
final class LiveCalls implements Iterable<Call> {

    private static final int FIRST_SLOTS = 64;

    private @Nullable Call[] numbers = new Call[FIRST_SLOTS];
    private @Nullable Call[] keys = new Call[FIRST_SLOTS];
    private @Nullable Call oldest;
    private @Nullable Call youngest;
    private int size;

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** {@return those that are here now, oldest first} */
    List<Call> snapshot() {
        List<Call> all = new ArrayList<>(size);
        forEach(all::add);
        return all;
    }

    @Nullable Call find(long number) {
        Call call = numbers[slot(number)];
        while (call != null && call.number() != number) {
            call = call.nextByNumber;
        }
        return call;
    }

    @Nullable Call find(CallKey key) {
        Call call = keys[slot(key)];
        while (call != null && !key.equals(call.key())) {
            call = call.nextByKey;
        }
        return call;
    }

    /** A call begins; it has no identity yet. */
    void add(Call call) {
        if (size == numbers.length) {
            grow();
        }
        size++;
        link(call);
        int slot = slot(call.number());
        call.nextByNumber = numbers[slot];
        numbers[slot] = call;
    }

    private void link(Call call) {
        call.older = youngest;
        if (youngest == null) {
            oldest = call;
        } else {
            youngest.younger = call;
        }
        youngest = call;
    }

    /** A call that is here has got its identity; until it is removed it is found by that. */
    void identified(Call call, CallKey key) {
        int slot = slot(key);
        call.nextByKey = keys[slot];
        keys[slot] = call;
    }

    /** A call has ended. */
    void remove(Call call) {
        size--;
        unlink(call);
        int slot = slot(call.number());
        if (numbers[slot] == call) {
            numbers[slot] = call.nextByNumber;
        } else {
            before(numbers[slot], call, false).nextByNumber = call.nextByNumber;
        }
        call.nextByNumber = null;
        CallKey key = call.key();
        if (key != null) {
            removeKey(call, slot(key));
        }
    }

    private void removeKey(Call call, int slot) {
        if (keys[slot] == call) {
            keys[slot] = call.nextByKey;
        } else {
            before(keys[slot], call, true).nextByKey = call.nextByKey;
        }
        call.nextByKey = null;
    }

    private static Call before(@Nullable Call first, Call call, boolean isByKey) {
        Call each = first;
        while (each != null) {
            Call next = isByKey ? each.nextByKey : each.nextByNumber;
            if (next == call) {
                return each;
            }
            each = next;
        }
        throw new IllegalStateException("a call is not live: number=" + call.number());
    }

    private void unlink(Call call) {
        if (call.older == null) {
            oldest = call.younger;
        } else {
            call.older.younger = call.younger;
        }
        if (call.younger == null) {
            youngest = call.older;
        } else {
            call.younger.older = call.older;
        }
        call.older = null;
        call.younger = null;
    }

    private void grow() {
        numbers = new Call[numbers.length * 2];
        keys = new Call[keys.length * 2];
        for (Call call = oldest; call != null; call = call.younger) {
            int slot = slot(call.number());
            call.nextByNumber = numbers[slot];
            numbers[slot] = call;
            CallKey key = call.key();
            if (key != null) {
                identified(call, key);
            }
        }
    }

    /** Numbers follow each other, so their last bits spread them evenly. */
    private int slot(long number) {
        return (int) number & (numbers.length - 1);
    }

    private int slot(CallKey key) {
        int hash = key.hashCode() * 0x9E3779B9;
        return (hash ^ hash >>> 16) & (keys.length - 1);
    }

    /** {@return the calls, oldest first; the one that was returned last may be removed meanwhile, no other} */
    @Override
    public Iterator<Call> iterator() {
        return new Iterator<>() {
            private @Nullable Call next = oldest;

            @Override
            public boolean hasNext() {
                return next != null;
            }

            @Override
            public Call next() {
                Call call = next;
                if (call == null) {
                    throw new NoSuchElementException();
                }
                next = call.younger;
                return call;
            }
        };
    }
}
