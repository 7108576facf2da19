package io.reactivecomm.observability.doctor;

import io.reactivecomm.recorder.CallRecord;
import java.util.List;
import java.util.stream.Collectors;

/** Parts of the doctor's sentences. */
final class Words {

    private static final long MICROS = 1_000_000;
    private static final long MILLIS = 1_000;

    private Words() {}

    static String ranks(List<Integer> ranks) {
        if (ranks.size() == 1) {
            return "rank " + ranks.getFirst();
        }
        List<Integer> but = ranks.subList(0, Math.max(0, ranks.size() - 1));
        return ranks.isEmpty()
                ? "no rank"
                : "ranks " + but.stream().map(String::valueOf).collect(Collectors.joining(", ")) + " and "
                        + ranks.getLast();
    }

    /** {@return the same at the beginning of a sentence} */
    static String capitalRanks(List<Integer> ranks) {
        String text = ranks(ranks);
        return Character.toUpperCase(text.charAt(0)) + text.substring(1);
    }

    static String verb(List<Integer> ranks, String one, String several) {
        return ranks.size() == 1 ? one : several;
    }

    static String seconds(long micros) {
        if (micros < MILLIS * 10) {
            return micros / (double) MILLIS + " ms";
        }
        return micros < MICROS ? micros / MILLIS + " ms" : micros / (MICROS / 10) / 10.0 + " s";
    }

    /** {@return a call with what it is and where it was made} */
    static String call(CallRecord call) {
        String group = call.group() == 0 ? "" : " of group " + call.group();
        return call.label()
                + group
                + (call.what().isEmpty() ? "" : " (" + call.what() + ")")
                + (call.site().isEmpty() ? "" : " at " + call.site());
    }
}
