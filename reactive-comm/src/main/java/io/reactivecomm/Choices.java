package io.reactivecomm;

import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The choices that decide how calls are carried out, and therefore are the same on all ranks of a world. The ranks compare it when they
 * connect: where one differs, {@link RendezvousException} on each names the setting, two ranks and both values.
 *
 * @param backend the engines by device, such as {@code cpu:links}
 * @param off operations that do nothing, to see what the others cost; no messages, new groups or scopes, of which or for which others are made
 * @param algorithms which algorithm serves which calls, or empty for the library's own choice
 * @param bits which bits reductions over links give unless a view asks for others
 */
public record Choices(String backend, Set<Operation> off, String algorithms, Bits bits) {

    /** The progress engine over links: what is always there. */
    public static final String DEFAULT_BACKEND = "cpu:links";

    /** The remedy where operations that cannot be off are to be. */
    public static final String ALWAYS_ON_REMEDY =
            "leave out message and new group, of which streams and groups are made, and coalesced, which is off where all its calls are";

    private static final Set<Operation> ALWAYS_ON = Set.of(Operation.MESSAGE, Operation.NEW_GROUP, Operation.COALESCED);

    /** All of the library's own choices. */
    public static final Choices DEFAULT = new Choices(DEFAULT_BACKEND, Set.of(), "", Bits.RANK_ORDER);

    /** Longest backend and longest choice of algorithms, in characters: a line to write by hand, and small beside a rank's address. */
    public static final int MAX_CHARS = 1000;

    private static final String BACKWARD = "backward";

    /** Choices with bits in rank order. */
    public Choices(String backend, Set<Operation> off, String algorithms) {
        this(backend, off, algorithms, Bits.RANK_ORDER);
    }

    public Choices {
        Objects.requireNonNull(backend, "backend");
        Objects.requireNonNull(off, "off");
        Objects.requireNonNull(algorithms, "algorithms");
        Objects.requireNonNull(bits, "a configuration got no bits: bits=null; give one of Bits");
        backend = backend.strip();
        algorithms = algorithms.strip();
        if (backend.isEmpty()) {
            throw new RendezvousException(
                    "the backend is empty: RCOMM_BACKEND=" + backend + "; write one such as " + DEFAULT_BACKEND);
        }
        requireShort("RCOMM_BACKEND", backend);
        requireShort("RCOMM_ALGORITHMS", algorithms);
        if (!canBeOff(off)) {
            throw new RendezvousException(
                    "an operation cannot be switched off: RCOMM_OFF=" + labels(off) + "; " + ALWAYS_ON_REMEDY);
        }
        off = off.isEmpty() ? Set.of() : Collections.unmodifiableSet(EnumSet.copyOf(off));
    }

    /** {@return whether all of these operations can be off} */
    public static boolean canBeOff(Set<Operation> operations) {
        return Collections.disjoint(Objects.requireNonNull(operations, "operations"), ALWAYS_ON);
    }

    private static void requireShort(String name, String text) {
        if (text.length() > MAX_CHARS) {
            throw new RendezvousException("a setting is too long: " + name + " has " + text.length()
                    + " characters, most=" + MAX_CHARS + "; shorten it");
        }
    }

    /**
     * {@return the choices in RCOMM_BACKEND, RCOMM_OFF, RCOMM_ALGORITHMS and RCOMM_BITS, each with its default}
     *
     * <p>RCOMM_OFF lists operations by name, such as {@code all-reduce,broadcast}; {@code backward} stands for all-gather and
     * reduce-scatter, what a sharded backward pass consists of.
     *
     * @throws RendezvousException if one cannot be read
     */
    public static Choices fromEnvironment(Map<String, String> environment) {
        Objects.requireNonNull(environment, "environment");
        EnvironmentVariables variables = new EnvironmentVariables(environment);
        return new Choices(
                variables.text("RCOMM_BACKEND", DEFAULT_BACKEND),
                operations(variables.text("RCOMM_OFF", "")),
                variables.text("RCOMM_ALGORITHMS", ""),
                Bits.of(variables.text("RCOMM_BITS", Bits.RANK_ORDER.label())));
    }

    private static Set<Operation> operations(String text) {
        Set<Operation> operations = EnumSet.noneOf(Operation.class);
        for (String word : text.split(",", -1)) {
            String label = word.trim();
            if (label.equals(BACKWARD)) {
                operations.add(Operation.ALL_GATHER);
                operations.add(Operation.REDUCE_SCATTER);
            } else if (!label.isEmpty()) {
                operations.add(operation(label));
            }
        }
        return operations;
    }

    private static Operation operation(String label) {
        for (Operation operation : Operation.values()) {
            if (operation.label().equals(label)) {
                return operation;
            }
        }
        throw new RendezvousException("unknown operation: RCOMM_OFF=" + label + "; write some of " + BACKWARD + ", "
                + labels(EnumSet.allOf(Operation.class)) + ", with commas between them");
    }

    private static String labels(Set<Operation> operations) {
        return operations.stream().map(Operation::label).collect(Collectors.joining(", "));
    }

    /** {@return each choice as text, under the name of its environment variable} */
    public Map<String, String> texts() {
        Map<String, String> texts = new LinkedHashMap<>();
        texts.put("RCOMM_BACKEND", backend);
        texts.put("RCOMM_OFF", off.stream().map(Operation::label).collect(Collectors.joining(",")));
        texts.put("RCOMM_ALGORITHMS", algorithms);
        texts.put("RCOMM_BITS", bits.label());
        return Collections.unmodifiableMap(texts);
    }
}
