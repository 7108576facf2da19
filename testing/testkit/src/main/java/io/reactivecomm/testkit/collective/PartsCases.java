package io.reactivecomm.testkit.collective;

import static io.reactivecomm.testkit.WorldContract.LIMIT;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The base of the contracts of parts. */
final class PartsCases {

    private PartsCases() {}

    /** {@return lengths of the ranks' parts: even, ragged, with empty ones, of several pieces; each out of place and in place} */
    static Stream<Arguments> shapes() {
        return Stream.of(
                        new long[] {7},
                        new long[] {0},
                        new long[] {5, 5},
                        new long[] {0, 0, 3},
                        new long[] {0, 0},
                        new long[] {1, 0, 200_003, 64},
                        new long[] {300_000, 300_000, 300_000})
                .flatMap(counts -> Stream.of(Arguments.of(counts, true), Arguments.of(counts, false)));
    }

    /** {@return what all calls told, each up to its completion} */
    static <T> List<List<T>> ended(List<Flux<T>> calls) {
        List<Mono<List<T>>> lists = calls.stream().map(Flux::collectList).toList();
        return Objects.requireNonNull(
                Flux.mergeSequential(lists, lists.size(), 1).collectList().block(LIMIT));
    }
}
