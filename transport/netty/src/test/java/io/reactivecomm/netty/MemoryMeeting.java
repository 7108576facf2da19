package io.reactivecomm.netty;

import io.reactivecomm.Meeting;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** An all-gather of ranks in one JVM, which keeps what they said, and may spoil what one of them hears. */
final class MemoryMeeting {

    private final int size;
    private final List<Round> rounds = new ArrayList<>();
    private final Map<String, UnaryOperator<List<byte[]>>> faults = new ConcurrentHashMap<>();

    MemoryMeeting(int size) {
        this.size = size;
    }

    /** A gathering under way. */
    private final class Round {

        private final byte[][] records = new byte[size][];
        private final Sinks.One<List<byte[]>> all = Sinks.one();

        private boolean isFullWith(int rank, byte[] record) {
            records[rank] = record;
            return Arrays.stream(records).allMatch(each -> each != null);
        }
    }

    /** {@return what that rank has of it} */
    Meeting of(int rank) {
        return new Meeting() {
            private int next;

            @Override
            public int rank() {
                return rank;
            }

            @Override
            public int size() {
                return size;
            }

            @Override
            public Mono<List<byte[]>> allGather(byte[] own) {
                int number = next++;
                UnaryOperator<List<byte[]>> fault = faults.getOrDefault(rank + "/" + (number + 1), all -> all);
                return enter(number, rank, own).map(fault);
            }
        };
    }

    private Mono<List<byte[]>> enter(int number, int rank, byte[] own) {
        Round round;
        boolean isFull;
        synchronized (rounds) {
            while (rounds.size() <= number) {
                rounds.add(new Round());
            }
            round = rounds.get(number);
            isFull = round.isFullWith(rank, own);
        }
        if (isFull) {
            round.all.tryEmitValue(Arrays.asList(round.records));
        }
        return round.all.asMono();
    }

    /** {@return the record of that rank in that round, from 1} */
    byte[] said(int rank, int round) {
        synchronized (rounds) {
            return rounds.get(round - 1).records[rank];
        }
    }

    /** {@return all records of that round, from 1} */
    List<byte[]> said(int round) {
        synchronized (rounds) {
            return List.of(rounds.get(round - 1).records);
        }
    }

    /** Spoils what a rank hears in a round, from 1. */
    void spoil(int rank, int round, UnaryOperator<List<byte[]>> fault) {
        faults.put(rank + "/" + round, fault);
    }
}
