package io.reactivecomm.launch.internal;

import io.reactivecomm.RendezvousException;
import java.util.ArrayList;
import java.util.List;

/**
 * Slurm's way to write many names in few words: {@code node[01-03,7],gpu5} stands for node01, node02, node03, node7 and gpu5, and
 * {@code r[1-2]n[1-2]} for r1n1, r1n2, r2n1 and r2n2. Leading zeros give the width.
 *
 * <p><b>Errors.</b> {@link RendezvousException} with the list, if it cannot be read.
 *
 * <p><b>Source.</b> Slurm's host list expressions, as {@code scontrol show hostnames} expands them.
 */
final class SlurmNodeList {

    /** More nodes than any Slurm cluster has. */
    static final int MAX_NODES = 65_536;

    private final String list;
    private int at;

    private SlurmNodeList(String list) {
        this.list = list;
    }

    /** {@return the names, in order} */
    static List<String> parse(String list) {
        SlurmNodeList parser = new SlurmNodeList(list.trim());
        List<String> nodes = new ArrayList<>();
        do {
            nodes.addAll(parser.word());
            parser.requireRoom(nodes.size());
        } while (parser.skip(','));
        if (parser.at < parser.list.length()) {
            throw parser.unreadable("unexpected " + parser.list.charAt(parser.at));
        }
        return nodes;
    }

    /** One entry between commas: letters and brackets in turn, each bracket multiplying what stands before it. */
    private List<String> word() {
        List<String> names = List.of("");
        int begin = at;
        while (at < list.length() && list.charAt(at) != ',') {
            if (skip('[')) {
                names = times(names, bracket());
            } else {
                names = times(names, List.of(letters()));
            }
        }
        if (at == begin) {
            throw unreadable("an empty name");
        }
        return names;
    }

    private String letters() {
        int begin = at;
        while (at < list.length() && "[],".indexOf(list.charAt(at)) < 0) {
            at++;
        }
        if (at == begin) {
            throw unreadable("unexpected " + list.charAt(at));
        }
        return list.substring(begin, at);
    }

    private List<String> bracket() {
        List<String> numbers = new ArrayList<>();
        do {
            range(numbers);
        } while (skip(','));
        if (!skip(']')) {
            throw unreadable("a bracket that does not end");
        }
        return numbers;
    }

    private void range(List<String> into) {
        String first = digits();
        String last = skip('-') ? digits() : first;
        int from = Integer.parseInt(first);
        int to = Integer.parseInt(last);
        if (to < from) {
            throw unreadable("a range that runs backwards");
        }
        requireRoom((long) into.size() + to - from + 1);
        for (int number = from; number <= to; number++) {
            String digits = Integer.toString(number);
            into.add("0".repeat(Math.max(0, first.length() - digits.length())) + digits);
        }
    }

    /** Nine digits at most, which any {@code int} holds. */
    private String digits() {
        int begin = at;
        while (at < list.length() && list.charAt(at) >= '0' && list.charAt(at) <= '9') {
            at++;
        }
        if (at == begin || at - begin > 9) {
            throw unreadable("no number where one belongs");
        }
        return list.substring(begin, at);
    }

    private List<String> times(List<String> heads, List<String> tails) {
        requireRoom((long) heads.size() * tails.size());
        List<String> all = new ArrayList<>();
        for (String head : heads) {
            tails.forEach(tail -> all.add(head + tail));
        }
        return all;
    }

    private boolean skip(char expected) {
        boolean there = at < list.length() && list.charAt(at) == expected;
        if (there) {
            at++;
        }
        return there;
    }

    private void requireRoom(long nodes) {
        if (nodes > MAX_NODES) {
            throw unreadable("more than " + MAX_NODES + " nodes");
        }
    }

    private RendezvousException unreadable(String what) {
        return new RendezvousException("cannot read Slurm's list of nodes: list=" + list + ", at=" + at + ", found="
                + what + "; set MASTER_ADDR to the host of rank 0");
    }
}
