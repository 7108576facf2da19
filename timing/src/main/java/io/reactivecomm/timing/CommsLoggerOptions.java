package io.reactivecomm.timing;

import io.reactivecomm.CommConfig;
import io.reactivecomm.CommException;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.RendezvousException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The options of a {@link CommsLogger}, with DeepSpeed's meanings. Immutable; each {@code withX} returns a changed copy.
 *
 * @param enabled whether it records from the beginning; if not, {@link CommsLogger#start} begins it
 * @param verbose whether each recorded call is logged through slf4j as it ends, which costs microseconds
 * @param debug whether rows are told apart by the calls' names and by where the program assembles them, too, and verbose lines tell of that and of
 *     composite calls. It costs a walk of the stack for each call that is assembled from when the logger observes; other ranks hear nothing of it
 * @param allOperations whether all are recorded, whatever {@code operations} says: DeepSpeed's {@code prof_all}
 * @param operations those that are recorded, by {@link io.reactivecomm.Operation#label()}; {@code send} and {@code receive} are told apart,
 *     {@code message} is both, and {@code composite} is all composite calls; DeepSpeed's names, such as {@code all_gather_into_tensor}, become ours,
 *     and {@code all_reduce} includes inference all-reduces, as there. {@code named:grad*} selects calls by their names, whatever their operation is
 * @param names those of calls that are recorded, by patterns such as {@code layer*}; empty for all calls, also unnamed ones. A part of a composite
 *     call has a name of its own
 */
public record CommsLoggerOptions(
        boolean enabled,
        boolean verbose,
        boolean debug,
        boolean allOperations,
        Set<String> operations,
        List<String> names) {

    /** All calls, from the beginning, in silence. */
    public static final CommsLoggerOptions DEFAULT =
            new CommsLoggerOptions(true, false, false, true, Set.of(), List.of());

    /** The environment variable that {@link #parse} reads. */
    static final String VARIABLE = "RCOMM_COMMS_LOG";

    public CommsLoggerOptions {
        operations = OperationWords.labels(operations);
        names = List.copyOf(names);
    }

    /**
     * {@return the options in a line of text, as RCOMM_COMMS_LOG has them}
     *
     * <p>Parts with semicolons between them: {@code on}, {@code off}, {@code verbose}, {@code debug}, {@code ops=} and {@code names=} with commas
     * between what follows: {@code verbose;ops=all-reduce,named:grad*;names=layer*}. All but {@code off} include {@code on}.
     *
     * @throws InvalidCallException for anything else
     */
    public static CommsLoggerOptions parse(String text) {
        return LoggerText.parse(text);
    }

    /**
     * {@return the options in a DeepSpeed configuration's {@code comms_logger} block; without one those of a logger that is not enabled}
     *
     * <p>Its keys are {@code enabled}, {@code verbose}, {@code prof_all}, {@code debug} and {@code prof_ops}, with DeepSpeed's defaults: not
     * enabled, and all operations. A name in {@code prof_ops} that is no operation's selects the calls of that name, which a {@code log_name} is there and
     * {@link io.reactivecomm.ProcessGroup#named} gives here. Other blocks do not matter; {@link io.reactivecomm.deepspeed.DeepSpeedConfig} reads them, too.
     *
     * @throws InvalidCallException for other keys in the block, and values of other types
     */
    public static CommsLoggerOptions ofDeepSpeed(String json) {
        return DeepSpeedBlock.parse(json);
    }

    /**
     * {@return the options in RCOMM_COMMS_LOG; none if it is not set, or off}
     *
     * @throws RendezvousException if it cannot be read
     */
    public static Optional<CommsLoggerOptions> fromEnvironment(Map<String, String> environment) {
        String text =
                CommConfig.settings(environment).getOrDefault(VARIABLE, "off").strip();
        try {
            return Optional.of(parse(text)).filter(CommsLoggerOptions::enabled);
        } catch (InvalidCallException e) {
            throw new RendezvousException(
                    "an environment variable cannot be read: " + VARIABLE + "=" + text + ", cause="
                            + CommException.textOf(e),
                    e);
        }
    }

    public CommsLoggerOptions withEnabled(boolean value) {
        return new CommsLoggerOptions(value, verbose, debug, allOperations, operations, names);
    }

    public CommsLoggerOptions withVerbose(boolean value) {
        return new CommsLoggerOptions(enabled, value, debug, allOperations, operations, names);
    }

    public CommsLoggerOptions withDebug(boolean value) {
        return new CommsLoggerOptions(enabled, verbose, value, allOperations, operations, names);
    }

    /** {@return these options for those operations alone} */
    public CommsLoggerOptions withOperations(Collection<String> words) {
        return new CommsLoggerOptions(enabled, verbose, debug, false, Set.copyOf(words), names);
    }

    /** {@return these options for calls with names of those patterns alone} */
    public CommsLoggerOptions withNames(List<String> patterns) {
        return new CommsLoggerOptions(enabled, verbose, debug, allOperations, operations, patterns);
    }
}
