package io.reactivecomm.sequence;

/** Worlds of sequencers whose members make the same calls in groups that overlap: whether each ends as it should, and all engines see one order. */
public final class SequencerFuzz extends Fuzz {

    /** A fuzz that has run no seed. */
    public SequencerFuzz() {
        super(CallPlans::of, world -> new SequencerJudge(world).judge());
    }
}
