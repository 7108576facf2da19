package io.reactivecomm.internal.train;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The progress of one step of buckets on one rank: which gradients are here, which bucket begins next, and which results may go. A pure machine. Gradients are known by the
 * numbers of their parameters, in the order of registration.
 *
 * <pre>
 *   slot      AWAITED ──&gt; HERE, ABSENT or KEPT
 *   bucket    waits ── none of its slots is AWAITED, or the pass has ended, and all before it have begun ──&gt; begins ──&gt; finished
 *   result    of a slot that is HERE: its gradient's            of another slot that some rank had: one more, once the pass has ended
 * </pre>
 *
 * <p>A slot that is ABSENT, or AWAITED at the end of the pass, contributes zeros; one that is KEPT contributes its home as it stands. Only HERE counts as present. Ranks take the
 * maximum of {@link #presence} with each bucket, so they agree on the results, whatever each of them had.
 *
 * <p>In the order of parameters a result waits for those before it, and one that this rank lacks for the end of the pass.
 *
 * <p><b>Threads.</b> One at a time.
 */
public final class BucketProgress {

    /** The knowledge of one rank about a gradient of its own. */
    public enum Slot {
        AWAITED,
        HERE,
        ABSENT,
        KEPT
    }

    /** For each bucket its parameters. */
    private final List<List<Integer>> buckets;
    /** For each parameter its bucket. */
    private final int[] bucketOf;

    private final Slot[] slots;
    /** For each bucket the number of its slots that are awaited. */
    private final int[] awaited;
    /** The parameters that any rank has, of finished buckets. */
    private final BitSet present = new BitSet();

    private final BitSet finished = new BitSet();
    private final BitSet gone = new BitSet();
    private boolean isInOrder;
    private int next;
    private boolean isPassOver;

    /**
     * A step that has not begun.
     *
     * @param buckets for each bucket its parameters; each parameter from 0 on is in one of them
     * @param isInOrder whether results go in the order of parameters, or as their buckets finish
     */
    public BucketProgress(List<List<Integer>> buckets, boolean isInOrder) {
        this.buckets = List.copyOf(buckets);
        this.isInOrder = isInOrder;
        this.awaited = buckets.stream().mapToInt(List::size).toArray();
        this.slots = new Slot[IntStream.of(awaited).sum()];
        this.bucketOf = new int[slots.length];
        for (int bucket = 0; bucket < awaited.length; bucket++) {
            for (int parameter : buckets.get(bucket)) {
                slots[parameter] = Slot.AWAITED;
                bucketOf[parameter] = bucket;
            }
        }
    }

    /**
     * This rank has a gradient, or knows that it will not.
     *
     * @return whether that was not known before; if it was, nothing changes
     */
    public boolean settle(int parameter, Slot slot) {
        if (slots[parameter] != Slot.AWAITED || isPassOver) {
            return false;
        }
        slots[parameter] = slot;
        awaited[bucketOf[parameter]]--;
        return true;
    }

    public Slot slot(int parameter) {
        return slots[parameter];
    }

    /** No further gradient comes. Those that are awaited are absent. */
    public void passEnded() {
        isPassOver = true;
    }

    /** {@return the bucket that is to begin now, or −1} */
    public int next() {
        boolean isWhole = next < awaited.length && (isPassOver || awaited[next] == 0);
        return isWhole ? next : -1;
    }

    /** The {@link #next} bucket has begun. */
    public void began() {
        next++;
    }

    /** {@return this rank's part in the presence of a bucket's gradients: 1 where it has one} */
    public byte[] presence(int bucket) {
        List<Integer> parameters = buckets.get(bucket);
        byte[] presence = new byte[parameters.size()];
        for (int i = 0; i < presence.length; i++) {
            presence[i] = (byte) (slots[parameters.get(i)] == Slot.HERE ? 1 : 0);
        }
        return presence;
    }

    /** The results of a bucket are there. @param presence the maximum over all ranks of theirs */
    public void finished(int bucket, byte[] presence) {
        List<Integer> parameters = buckets.get(bucket);
        for (int i = 0; i < presence.length; i++) {
            present.set(parameters.get(i), presence[i] > 0);
        }
        finished.set(bucket);
    }

    /** {@return the results that may go now and have not gone, each once} */
    public List<Integer> results() {
        List<Integer> results = new ArrayList<>();
        for (int parameter = gone.nextClearBit(0);
                parameter < slots.length;
                parameter = gone.nextClearBit(parameter + 1)) {
            boolean isHere = slots[parameter] == Slot.HERE;
            boolean isSettled = finished.get(bucketOf[parameter]) && (isHere || isPassOver || !present.get(parameter));
            if (isSettled) {
                gone.set(parameter);
                if (present.get(parameter)) {
                    results.add(parameter);
                }
            } else if (isInOrder) {
                return results;
            }
        }
        return results;
    }

    /** The step has failed: results go although others before them will not come. */
    public void stopWaiting() {
        isInOrder = false;
    }

    /** {@return whether no gradient can come and every bucket is finished} */
    public boolean isOver() {
        return isPassOver && finished.cardinality() == awaited.length;
    }
}
