package io.reactivecomm.sequence;

import io.reactivecomm.collective.Signature;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.GroupKey;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A message between the leader and a member. Between two ranks notices keep their order. */
sealed interface Notice {

    /**
     * Member to leader, before anything else of a group: who is in it.
     *
     * @param parents the groups that it was made of, the nearest first, without the world's
     */
    record Introduced(GroupKey group, List<Integer> worldRanks, List<GroupKey> parents) implements Notice {

        public Introduced {
            worldRanks = List.copyOf(worldRanks);
            parents = List.copyOf(parents);
        }

        /** A group of the world. */
        public Introduced(GroupKey group, List<Integer> worldRanks) {
            this(group, worldRanks, List.of());
        }
    }

    /**
     * Leader to all that take part: the next in the order is the opening of a group. One that comes a second time takes the place of the first, in which a rank
     * took part that has gone.
     *
     * @param number rises as a batch's
     * @param worldRanks the members
     * @param from the group that it is split from; null if its members are alone
     * @param openers the ranks of that group
     */
    record Opening(
            long number,
            GroupKey group,
            List<Integer> worldRanks,
            @Nullable GroupKey from,
            List<Integer> openers) implements Notice {

        public Opening {
            worldRanks = List.copyOf(worldRanks);
            openers = List.copyOf(openers);
        }
    }

    /** Any that takes part in an opening or a freeing, to leader: it has done so. One that fails says that the group has {@link Ended}. */
    record Done(long number, GroupKey group) implements Notice {}

    /** Member to leader: it has closed a group that its engine holds. */
    record Closed(GroupKey group) implements Notice {}

    /** Leader to all members: the next in the order is the freeing of a group. */
    record Freeing(long number, GroupKey group) implements Notice {}

    /**
     * Member to leader: a call was subscribed to. It is written out each time, also for a name that recurs: some sixty bytes, where a
     * {@link NameReference} takes four. A {@link RecentNames} holds one order of names, and each member has its own here.
     *
     * @param sharesMemory whether it shares memory on the member with a call that was in flight before it, as {@link io.reactivecomm.spi.engine.EngineCall} has it
     * @param description the call in a reader's words, empty if they are its signature's
     * @param exchanged of a scope, what goes between the member and other ranks, by world rank: a number that both have if they mean the same messages
     */
    record Ready(
            CallKey key,
            int priority,
            boolean sharesMemory,
            Signature signature,
            String description,
            Map<Integer, Long> exchanged)
            implements Notice {

        /** One in which all ranks do the same, in memory that no other call uses. */
        public Ready(CallKey key, int priority, Signature signature, String description) {
            this(key, priority, false, signature, description, Map.of());
        }

        /** {@return the call in a reader's words} */
        String words() {
            return description.isEmpty() ? signature.describe() : description;
        }
    }

    /** Member to leader: a call failed its checks, and was never ready. */
    record Refused(CallKey key, Failure cause) implements Notice {}

    /**
     * Member to leader: a call that was ready is so no more, because the member gave it up, or in answer to the leader's. It comes once for
     * each call that was ready and was not begun. Leader to all members of the call's group, him who said so included: it fails. Of a message, and of a
     * call that fails with a run of a composite call, only those hear that are ready for it; who comes later is told then.
     *
     * @param level where a run of a composite call fails with it, the place of that run among those that the call is in, from 1 for the
     *     innermost; else 0
     */
    record Failed(CallKey key, Failure cause, int level) implements Notice {

        /** A call that fails by itself. */
        public Failed(CallKey key, Failure cause) {
            this(key, cause, 0);
        }
    }

    /**
     * Leader to a member on which a call has not been ready for a while: will it ever be? The member answers once the run that it is in, or one
     * around it, is over there, or the step; or the call is ready; at once if its program has it.
     */
    record Wanted(CallKey key) implements Notice {}

    /**
     * Member to leader: no call of that run comes from here any more. It is said where the leader wants one, or one that was ready waits. So a
     * run that ends well costs no notice.
     *
     * @param failed whether what waits in the run fails too, ready here or not
     */
    record Over(CallKey.Ticket run, boolean failed, Failure cause) implements Notice {}

    /** Member to leader, which wants a message: its end here will not be made. Nothing is remembered of it: who comes later asks again. */
    record LeftOut(CallKey key, Failure cause) implements Notice {}

    /**
     * Receiver to leader: a message, as its sender calls it, went over another engine, while receives from any of its line are on this one. It counts as
     * refused by its sender.
     */
    record SentElsewhere(CallKey.Message message, Failure cause) implements Notice {}

    /** Member to leader, which wants a call: its program has assembled it and has not subscribed to it. */
    record Assembled(CallKey.Ticket key) implements Notice {}

    /**
     * Member to leader, and leader to all members, and from and to who helps to open it: no call of a group is announced any more.
     *
     * @param abandoned whether calls that run fail too, because a member does not do its part in them
     * @param byEngine whether a member's engine said so, of which links do not know, whatever the cause
     */
    record Ended(GroupKey group, Failure cause, boolean abandoned, boolean byEngine) implements Notice {

        /** One that the sequencers have found out. */
        public Ended(GroupKey group, Failure cause, boolean abandoned) {
            this(group, cause, abandoned, false);
        }
    }

    /** Member to leader: who is missing in a call that has waited for long? */
    record Asked(CallKey key) implements Notice {}

    /**
     * Leader to a member: the answer.
     *
     * @param missing the world ranks on which the call is not ready
     * @param latest what those issued last in the group, and the calls in which they wait, in words
     * @param isOrder whether those have assembled it, or wait in other calls of the group that the receiver has not issued
     */
    record Waiting(CallKey key, List<Integer> missing, String latest, boolean isOrder) implements Notice {

        public Waiting {
            missing = List.copyOf(missing);
        }
    }

    /**
     * Leader to members: the next calls in the order, those of them that the receiver takes part in.
     *
     * @param number rises with each batch
     */
    record Batch(long number, List<NameReference> places) implements Notice {

        public Batch {
            places = List.copyOf(places);
        }
    }

    /**
     * Either way: the sender leaves the world, and this is its last notice.
     *
     * @param cause why it cannot go on; null if it leaves in good order
     */
    record Left(@Nullable Failure cause) implements Notice {

        /** In good order. */
        public Left() {
            this(null);
        }
    }
}
