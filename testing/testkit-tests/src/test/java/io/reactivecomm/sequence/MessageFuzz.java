package io.reactivecomm.sequence;

/** Worlds of sequencers that exchange messages beside their collectives: whether each end meets the one that it should. */
public final class MessageFuzz extends Fuzz {

    /** A fuzz that has run no seed. */
    public MessageFuzz() {
        super(MessagePlans::of, world -> new MessageJudge(world).judge());
    }
}
