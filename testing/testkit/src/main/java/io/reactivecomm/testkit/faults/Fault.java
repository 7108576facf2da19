package io.reactivecomm.testkit.faults;

/** A fault of one rank, the victim, or of its network. */
public enum Fault {
    KILL("killed", Requirement.NOTHING),
    EXIT("exits", Requirement.NOTHING),
    STOP("stopped, later resumed", Requirement.SIGNALS),
    FATAL_IN_SUBSCRIBER("fatal error in a subscriber", Requirement.NOTHING),
    FATAL_IN_OPERATOR("fatal error in a reduction's operator", Requirement.NOTHING),
    FATAL_ON_LOOP("fatal error in a task of the loop", Requirement.NOTHING),
    BLOCKED_LOOP("loop blocked for 3.5 s", Requirement.NOTHING),
    PARTITION("cut off, later healed", Requirement.NETWORK),
    BLIP("cut off for 1.8 s", Requirement.NETWORK),
    LOSS("10 % of packets lost", Requirement.NETWORK),
    SLOW_LINK("200 Mbit/s", Requirement.NETWORK),
    MEMORY_FULL("heap full", Requirement.NOTHING),
    DISK_FULL("shared memory full", Requirement.LIMITS),
    WRONG_TOKEN("stranger with a wrong token", Requirement.NOTHING),
    FLOOD("1,500 idle connections to the store", Requirement.DESCRIPTORS);

    /** An ability that the machine must give the runner. */
    public enum Requirement {
        NOTHING,
        SIGNALS,
        NETWORK,
        LIMITS,
        DESCRIPTORS
    }

    private final String label;
    private final Requirement need;

    Fault(String label, Requirement need) {
        this.label = label;
        this.need = need;
    }

    /** {@return the name in tables} */
    public String label() {
        return label;
    }

    /** {@return what the machine must have for it} */
    public Requirement need() {
        return need;
    }

    /** {@return whether it ends the victim's process, so that nobody is left there who could be told} */
    boolean endsVictim() {
        return switch (this) {
            case KILL, EXIT, MEMORY_FULL -> true;
            case STOP,
                    FATAL_IN_SUBSCRIBER,
                    FATAL_IN_OPERATOR,
                    FATAL_ON_LOOP,
                    BLOCKED_LOOP,
                    PARTITION,
                    BLIP,
                    LOSS,
                    SLOW_LINK,
                    DISK_FULL -> false;
            case WRONG_TOKEN, FLOOD -> false;
        };
    }

    /** {@return whether the victim's own program does it, in a callback of a call that all ranks make for the purpose} */
    boolean isCallback() {
        return this == FATAL_IN_SUBSCRIBER || this == FATAL_IN_OPERATOR || this == BLOCKED_LOOP;
    }

    /** {@return whether it strikes on the loop of a group, so that there must be one} */
    boolean isOnLoop() {
        return isCallback() || this == FATAL_ON_LOOP;
    }

    /** {@return whether it strikes the network, so that the ranks must be apart} */
    boolean isOfNetwork() {
        return need == Requirement.NETWORK;
    }
}
