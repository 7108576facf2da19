package io.reactivecomm.sequence;

import java.util.NavigableSet;
import java.util.TreeSet;

/** The numbers of a source's messages that receives from any took: the others are those of the receives that name the source, in turn. */
final class TakenNumbers {

    /** Far more than wait behind a receive that names its source; what lies before them all is only counted. */
    private static final int MOST = 64;

    private final NavigableSet<Long> latest = new TreeSet<>();
    private long before;

    void take(long number) {
        latest.add(number);
        while (!latest.isEmpty() && (latest.first() <= before || latest.size() > MOST)) {
            latest.removeFirst();
            before++;
        }
    }

    /** {@return the number of the message for the n-th receive that names the source, from 0} */
    long number(long named) {
        long number = named + before;
        for (long each : latest) {
            if (each > number) {
                break;
            }
            number++;
        }
        return number;
    }
}
