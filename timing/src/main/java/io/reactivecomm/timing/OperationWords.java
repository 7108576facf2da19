package io.reactivecomm.timing;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Operation;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Words by which a filter selects calls: this library's labels of operations, DeepSpeed's names of functions, and the calls' own names. */
final class OperationWords {

    /** Stands for all composite calls, whose operations are the program's own words. */
    static final String COMPOSITE = "composite";

    /** Begins the pattern of names of calls, which are selected whatever their operation is. */
    static final String NAMED = "named:";

    private static final String SEND = "send";
    private static final String RECEIVE = "receive";

    /** What collectives of objects and of sparse tensors, and streams, are called where they are observed: they are composite calls of the library's own. */
    private static final List<String> OBJECTS = List.of(
            "object all-gather",
            "object broadcast",
            "object gather",
            "object scatter",
            "object reduce",
            "sparse all-reduce",
            "stream send",
            "stream receive");

    private static final Map<String, List<String>> LABELS = labels();

    private OperationWords() {}

    private static Map<String, List<String>> labels() {
        Map<String, List<String>> labels = new LinkedHashMap<>();
        for (Operation operation : Operation.values()) {
            put(labels, operation.label(), operation.label());
        }
        labels.put(Operation.MESSAGE.label(), List.of(SEND, RECEIVE));
        put(labels, SEND, SEND, "isend");
        put(labels, RECEIVE, RECEIVE, "recv", "irecv");
        OBJECTS.forEach(label -> put(labels, label, label));
        put(labels, COMPOSITE, COMPOSITE);
        putDeepSpeeds(labels);
        return Collections.unmodifiableMap(labels);
    }

    /** The names that its {@code comm.py} logs under; forms of one operation are one here. It logs its inference all-reduce as an all-reduce. */
    private static void putDeepSpeeds(Map<String, List<String>> labels) {
        put(labels, Operation.ALL_REDUCE.label(), "all_reduce_coalesced");
        labels.put("all_reduce", List.of(Operation.ALL_REDUCE.label(), Operation.INFERENCE_ALL_REDUCE.label()));
        put(labels, Operation.INFERENCE_ALL_REDUCE.label(), "inference_all_reduce");
        put(
                labels,
                Operation.REDUCE_SCATTER.label(),
                "reduce_scatter",
                "reduce_scatter_tensor",
                "reduce_scatter_base",
                "reduce_scatter_fn");
        put(
                labels,
                Operation.ALL_GATHER.label(),
                "all_gather",
                "all_gather_into_tensor",
                "all_gather_base",
                "all_gather_coalesced",
                "all_gather_fn");
        put(labels, Operation.ALL_TO_ALL.label(), "all_to_all", "all_to_all_single");
        put(labels, Operation.MONITORED_BARRIER.label(), "monitored_barrier");
        put(labels, Operation.NEW_GROUP.label(), "new_group");
        put(labels, OBJECTS.get(0), "all_gather_object");
        put(labels, OBJECTS.get(1), "broadcast_object_list");
    }

    private static void put(Map<String, List<String>> labels, String label, String... words) {
        for (String word : words) {
            labels.put(word, List.of(label));
        }
    }

    /** {@return whether a word is an operation's} */
    static boolean isOperation(String word) {
        return LABELS.containsKey(word);
    }

    /**
     * {@return the labels that are meant; a pattern of names stays as it is}
     *
     * @throws InvalidCallException for a word that names none
     */
    static Set<String> labels(Collection<String> words) {
        Set<String> all = new TreeSet<>();
        for (String word : words) {
            List<String> labels = word.startsWith(NAMED) && !word.equals(NAMED) ? List.of(word) : LABELS.get(word);
            if (labels == null) {
                throw new InvalidCallException("unknown operation: operation=" + word + "; write " + NAMED
                        + "NAME for calls of that name, or some of " + String.join(", ", LABELS.keySet()));
            }
            all.addAll(labels);
        }
        return Collections.unmodifiableSet(all);
    }
}
