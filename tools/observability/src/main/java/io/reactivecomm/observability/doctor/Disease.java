package io.reactivecomm.observability.doctor;

/** The sorts of findings. */
public enum Disease {
    FULL_DISK("look after the disk, and let the program say what became of what it was writing"),
    PROGRAM_DIED("mend the program, or catch what it throws and abort the group"),
    DEADLOCK("let the program take its locks, and make its calls and messages, in one order everywhere"),
    LOST_PEER("look at that rank's own output, and at its machine"),
    STOPPED_PROCESS("look whether it is stopped (SIGSTOP, a debugger, swapping), and continue or end it"),
    BLOCKED_LOOP("use publishOn there before work that takes long or blocks"),
    SWALLOWED_ERROR(
            "let the error end the rank's part, or abort the group; a call that failed is not to be passed over on one rank alone"),
    TWO_ORDERS("let all ranks make the calls in one order, or subscribe to all of them before waiting for any"),
    SKIPPED_CALL("let all ranks make the same calls; look at what the rank decides on alone there"),
    UNEQUAL_CALLS("let all ranks make the call with the same operation, type and count"),
    SLOW_RANK("look at what it is doing there, at its share of the work and at its machine"),
    LEFT_EARLY("let all ranks make the same calls before they close"),
    /** Any other; its text says what to do. */
    OTHER_FAILURE("do as the message says");

    private final String advice;

    Disease(String advice) {
        this.advice = advice;
    }

    /** {@return what to do about it} */
    public String advice() {
        return advice;
    }
}
