package io.reactivecomm.netty.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.netty.internal.link.LinkPair;
import io.reactivecomm.spi.rendezvous.Rendezvous;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Several keys at a time, queues and views of the store, between two ranks. */
class StoreWaitsTest extends TwoRankStore {

    private static String textOf(Mono<byte[]> value) {
        return value.map(TwoRankStore::text).block(SOON);
    }

    /** Returns once the store has seen what that rank asked before: it serves a rank in order. */
    private static void settle(Rendezvous store) {
        store.add("settled", 1).block(SOON);
    }

    @Test
    void append_fromBothRanks_keepsAll() {
        Flux.range(0, 100)
                .flatMap(i -> (i % 2 == 0 ? store0 : store1).append("k", bytes("ab")))
                .blockLast(SOON);
        assertThat(textOf(store0.get("k", SOON))).isEqualTo("ab".repeat(100));
        assertThat(store1.append("new", bytes("xyz")).block(SOON)).isEqualTo(3);
        expectError(store0.append("k", new byte[Rendezvous.MAX_VALUE_BYTES]), "value is too long", "key=k");
        expectError(store0.append("k", new byte[Rendezvous.MAX_VALUE_BYTES + 1]), "value is too long");
    }

    @Test
    void check_isTrueOnceAllAreSet() {
        store0.set("a", bytes("1")).block(SOON);
        assertThat(store1.check(List.of("a")).block(SOON)).isTrue();
        assertThat(store1.check(List.of("a", "b")).block(SOON)).isFalse();
        assertThat(store1.check(List.of()).block(SOON)).isTrue();
        store0.set("b", new byte[0]).block(SOON);
        assertThat(store1.check(List.of("a", "b", "a")).block(SOON)).isTrue();
    }

    @Test
    void await_completesWithTheLastKey() {
        CompletableFuture<Void> all =
                store1.await(List.of("a", "b", "c", "a"), SOON).toFuture();
        settle(store1);
        for (String key : List.of("c", "a")) {
            store0.set(key, bytes("1")).block(SOON);
            settle(store1);
            assertThat(all).isNotDone();
        }
        store0.set("b", bytes("1")).block(SOON);
        StepVerifier.create(Mono.fromFuture(all)).expectComplete().verify(SOON);
        StepVerifier.create(store1.await(List.of("a", "c"), Duration.ZERO))
                .expectComplete()
                .verify(SOON);
    }

    @Test
    void await_atItsDeadline_namesWhatIsMissing() {
        CompletableFuture<Void> all =
                store1.await(List.of("a", "b", "c"), Duration.ofSeconds(7)).toFuture();
        settle(store1);
        store0.set("b", bytes("1")).block(SOON);
        timers.advance(Duration.ofSeconds(7).minusMillis(1).toNanos());
        settle(store1);
        assertThat(all).isNotDone();
        timers.advance(Duration.ofMillis(1).toNanos());
        expectError(Mono.fromFuture(all), "missing=[a, c]", "rank=1", "waited=7.0 s");
    }

    @Test
    void await_manyMissing_namesAFewAndCountsTheRest() {
        List<String> keys =
                IntStream.range(0, Rendezvous.MAX_KEYS).mapToObj(i -> "key" + i).toList();
        CompletableFuture<Void> all = store1.await(keys, Duration.ofSeconds(1)).toFuture();
        settle(store1);
        timers.advance(Duration.ofSeconds(1).toNanos());
        expectError(Mono.fromFuture(all), "key0, key1", "and 1008 more");
        List<String> more = IntStream.rangeClosed(0, Rendezvous.MAX_KEYS)
                .mapToObj(i -> "key" + i)
                .toList();
        expectError(store1.await(more, SOON), "too many keys", "keys=1025", "most=1024");
        expectError(store1.check(more), "too many keys");
        expectError(store1.check(List.of("k".repeat(Rendezvous.MAX_KEY_BYTES + 1))), "key is too long");
    }

    @Test
    void waits_beyondTheirBound_areRefused_andCancelledOnesMakeRoom() {
        List<String> keys =
                IntStream.range(0, Rendezvous.MAX_KEYS).mapToObj(i -> "key" + i).toList();
        List<Disposable> waits = IntStream.range(0, StoreWaits.MAX_NAMES / Rendezvous.MAX_KEYS)
                .mapToObj(_ -> store1.await(keys, Duration.ofDays(1)).subscribe())
                .toList();
        expectError(store1.get("one more", SOON), "too many waits", "rank=1", "names=4096");
        expectError(store1.pop("one more", SOON), "too many waits");
        waits.getFirst().dispose();
        CompletableFuture<Void> again = store1.await(keys, SOON).toFuture();
        settle(store1);
        assertThat(again).isNotDone();
        waits.forEach(Disposable::dispose);
    }

    @Test
    void list_givesKeysInOrderUpToTheLimit() {
        Flux.just("b/2", "b/1", "a", "b/3")
                .concatMap(key -> store0.set(key, bytes("v")))
                .blockLast(SOON);
        assertThat(store1.list("b/", 10).block(SOON)).containsExactly("b/1", "b/2", "b/3");
        assertThat(store1.list("b/", 2).block(SOON)).containsExactly("b/1", "b/2");
        assertThat(store1.list("x", 10).block(SOON)).isEmpty();
        expectError(store1.list("", 0), "limit=0");
        expectError(store1.list("", Rendezvous.MAX_KEYS + 1), "limit=1025");
    }

    @Test
    void list_ofTheLongestKeys_comesWhole() {
        int count = Rendezvous.MAX_KEYS;
        String pad = "k".repeat(Rendezvous.MAX_KEY_BYTES - 4);
        Flux.range(0, count)
                .flatMap(i -> store0.set(pad + "%04d".formatted(i), new byte[0]))
                .blockLast(SOON);
        assertThat(store1.list("k", count).block(SOON)).hasSize(count).isSorted();
    }

    @Test
    void queue_keepsItsOrder() {
        assertThat(store0.push("q", bytes("1")).block(SOON)).isEqualTo(1);
        assertThat(store0.push("q", bytes("2")).block(SOON)).isEqualTo(2);
        assertThat(textOf(store1.pop("q", SOON))).isEqualTo("1");
        assertThat(textOf(store0.pop("q", SOON))).isEqualTo("2");
        assertThat(store0.check(List.of("q")).block(SOON)).as("a key").isFalse();
    }

    @Test
    void pop_beforePush_waits() {
        CompletableFuture<byte[]> first = store1.pop("q", SOON).toFuture();
        settle(store1);
        CompletableFuture<byte[]> second = store0.pop("q", SOON).toFuture();
        settle(store0);
        assertThat(store0.push("q", bytes("1")).block(SOON)).isZero();
        assertThat(textOf(Mono.fromFuture(first))).isEqualTo("1");
        assertThat(second).isNotDone();
        assertThat(store1.push("q", bytes("2")).block(SOON)).isZero();
        assertThat(textOf(Mono.fromFuture(second))).isEqualTo("2");
    }

    @Test
    void pop_atItsDeadline_failsAndTakesNothingAfterwards() {
        CompletableFuture<byte[]> wait = store1.pop("q", Duration.ofSeconds(3)).toFuture();
        settle(store1);
        timers.advance(Duration.ofSeconds(3).toNanos());
        expectError(Mono.fromFuture(wait), "queue=q", "rank=1", "waited=3.0 s");
        store0.push("q", bytes("1")).block(SOON);
        assertThat(textOf(store0.pop("q", SOON))).isEqualTo("1");
    }

    @Test
    void pop_cancelledAroundThePush_losesNothing() {
        int rounds = 200;
        AtomicInteger received = new AtomicInteger();
        for (int round = 0; round < rounds; round++) {
            // Counted where it passes, for a subscriber drops what comes as it cancels.
            Disposable wait = store1.pop("q", SOON)
                    .doOnNext(_ -> received.incrementAndGet())
                    .subscribe();
            CompletableFuture<Long> push = store0.push("q", bytes("v")).toFuture();
            wait.dispose();
            push.join();
            settle(store1);
        }
        // An item may be put back a turn after its answer, behind which the next question goes.
        settle(store1);
        settle(store1);
        long left = store0.push("q", bytes("last")).block(SOON) - 1;
        assertThat(received.get() + left).isEqualTo(rounds);
    }

    @Test
    void item_thatNobodyWaitsForAnyMore_goesBackToTheHead() {
        Disposable wait = store1.pop("q", SOON).subscribe();
        settle(store1);
        LinkPair.run(((StoreClient) store1).loop(), () -> {
            // The reply finds its request cancelled: it cannot be read before this task ends.
            store0.push("q", bytes("1")).toFuture().join();
            store0.push("q", bytes("2")).toFuture().join();
            wait.dispose();
        });
        settle(store1);
        CompletableFuture<byte[]> next = store1.pop("q", SOON).toFuture();
        assertThat(textOf(Mono.fromFuture(next))).isEqualTo("1");
        assertThat(textOf(store1.pop("q", SOON))).isEqualTo("2");
    }

    @Test
    void prefixed_keepsNamesApart_andNests() {
        Rendezvous a = store0.prefixed("a");
        Rendezvous b = store1.prefixed("b");
        a.set("k", bytes("1")).then(b.set("k", bytes("2"))).block(SOON);
        assertThat(textOf(store1.prefixed("a").get("k", SOON))).isEqualTo("1");
        assertThat(textOf(store1.get("b/k", SOON))).isEqualTo("2");
        a.prefixed("inner").add("n", 5).block(SOON);
        assertThat(a.list("", 10).block(SOON)).containsExactly("inner/n", "k");
        assertThat(a.prefixed("inner").list("n", 10).block(SOON)).containsExactly("n");
        assertThat(a.check(List.of("k", "inner/n")).block(SOON)).isTrue();
        assertThat(b.check(List.of("inner/n")).block(SOON)).isFalse();
        a.push("q", bytes("x")).block(SOON);
        assertThat(textOf(store1.pop("a/q", SOON))).isEqualTo("x");
        StepVerifier.create(a.await(List.of("k"), SOON)).expectComplete().verify(SOON);
        assertThat(a.append("k", bytes("0")).block(SOON)).isEqualTo(2);
        assertThat(a.compareSet("k", bytes("10"), bytes("11")).block(SOON)).isPresent();
        assertThat(a.delete("k").block(SOON)).isTrue();
        assertThat(textOf(store1.get("b/k", SOON))).isEqualTo("2");
    }

    @Test
    void prefixed_keyTooLongWithItsPrefix_isRefused() {
        Rendezvous view = store0.prefixed("p");
        view.set("k".repeat(Rendezvous.MAX_KEY_BYTES - 2), new byte[0]).block(SOON);
        expectError(view.set("k".repeat(Rendezvous.MAX_KEY_BYTES - 1), new byte[0]), "key is too long", "bytes=1025");
    }

    @Test
    void requests_afterTheStoreHasGone_failAtOnce() {
        List<CompletableFuture<?>> waits = List.of(
                store1.await(List.of("k"), SOON).toFuture(),
                store1.pop("q", SOON).toFuture());
        settle(store1);
        world.store.close();
        waits.forEach(wait -> expectError(Mono.fromFuture(wait), "the store has gone"));
        expectError(store1.push("q", new byte[0]), "the store has gone");
        expectError(store1.list("", 1), "the store has gone");
        expectError(store1.check(Collections.emptyList()), "the store has gone");
    }
}
