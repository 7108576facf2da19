package io.reactivecomm.netty.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.reactivecomm.spi.rendezvous.Rendezvous;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

class StoreTest extends TwoRankStore {

    @Test
    void get_afterSet_isTheLatestValue() {
        store0.set("k", bytes("1")).then(store0.set("k", bytes("2"))).block(SOON);
        assertThat(text(store1.get("k", SOON).block(SOON))).isEqualTo("2");
        store0.set("empty", new byte[0]).block(SOON);
        assertThat(store1.get("empty", SOON).block(SOON)).isEmpty();
    }

    @Test
    void get_beforeSet_waits() {
        CompletableFuture<byte[]> early = store1.get("k", SOON).toFuture();
        // Served in order, so the wait has begun when this is answered.
        store1.add("n", 1).block(SOON);
        assertThat(early).isNotDone();
        store0.set("k", bytes("v")).block(SOON);
        assertThat(text(Mono.fromFuture(early).block(SOON))).isEqualTo("v");
    }

    @Test
    void get_neverSet_failsAtItsDeadlineAndLeavesNothing() {
        CompletableFuture<byte[]> wait = store1.get("k", Duration.ofSeconds(7)).toFuture();
        store1.add("n", 1).block(SOON);
        timers.advance(Duration.ofSeconds(7).minusMillis(1).toNanos());
        assertThat(wait).isNotDone();
        timers.advance(Duration.ofMillis(1).toNanos());
        expectError(Mono.fromFuture(wait), "key=k", "rank=1", "waited=7.0 s");
        store0.set("k", bytes("v")).block(SOON);
        assertThat(store1.add("n", 1).block(SOON)).isEqualTo(2);
    }

    @Test
    void add_fromBothRanks_sums() {
        long last = Flux.range(0, 100)
                .flatMap(i -> (i % 2 == 0 ? store0 : store1).add("n", 3))
                .reduce(Math::max)
                .block(SOON);
        assertThat(last).isEqualTo(300);
        assertThat(store0.add("n", -300).block(SOON)).isZero();
        assertThat(text(store0.get("n", SOON).block(SOON))).isEqualTo("0");
    }

    @Test
    void add_toNoNumber_isRefusedInWords() {
        store0.set("k", bytes("word")).block(SOON);
        expectError(store1.add("k", 1), "key=k", "amount=1");
        store0.set("k", bytes(Long.toString(Long.MAX_VALUE))).block(SOON);
        expectError(store1.add("k", 1), "key=k");
    }

    @Test
    void compareSet_setsOnlyWhatIsExpected() {
        byte[] none = new byte[0];
        assertThat(store0.compareSet("k", bytes("x"), bytes("1")).block(SOON)).isEmpty();
        assertThat(textOf(store0.compareSet("k", none, bytes("1")))).contains("1");
        assertThat(textOf(store1.compareSet("k", none, bytes("2")))).contains("1");
        assertThat(textOf(store1.compareSet("k", bytes("1"), bytes("2")))).contains("2");
        assertThat(text(store0.get("k", SOON).block(SOON))).isEqualTo("2");
    }

    private static Optional<String> textOf(Mono<Optional<byte[]>> value) {
        return value.map(found -> found.map(TwoRankStore::text)).block(SOON);
    }

    @Test
    void delete_tellsWhetherThereWasAValue() {
        assertThat(store0.delete("k").block(SOON)).isFalse();
        store0.set("k", bytes("v")).block(SOON);
        assertThat(store1.delete("k").block(SOON)).isTrue();
        assertThat(store0.compareSet("k", bytes("v"), bytes("w")).block(SOON)).isEmpty();
    }

    @Test
    void keysAndValues_beyondTheirBounds_areRefused() {
        String key = "k".repeat(Rendezvous.MAX_KEY_BYTES);
        byte[] value = new byte[Rendezvous.MAX_VALUE_BYTES];
        store0.set(key, value).block(SOON);
        assertThat(store1.get(key, SOON).block(SOON)).isEqualTo(value);
        assertThat(store0.compareSet(key, value, value).block(SOON)).isPresent();
        expectError(store0.set(key + "k", value), "key is too long", "most=1024");
        expectError(store0.get(key + "ä", SOON), "key is too long");
        expectError(store0.set("k", new byte[value.length + 1]), "value is too long", "key=k");
    }

    @Test
    void get_withTheIdOfOneThatWaits_endsTheSession() {
        EmbeddedChannel channel = new EmbeddedChannel();
        RollCall rollCall = new RollCall(channel.eventLoop(), timers, () -> 0);
        channel.pipeline().addLast(new StoreSession(channel, StoreContents.empty(), rollCall, timers, 1));
        channel.writeInbound(
                StorePacket.keyed(StorePacket.GET, 1, 0, "a").encode(channel.alloc()),
                StorePacket.keyed(StorePacket.GET, 2, 0, "a").encode(channel.alloc()));
        assertThat(channel.isOpen()).isTrue();
        channel.writeInbound(StorePacket.keyed(StorePacket.GET, 1, 0, "b").encode(channel.alloc()));
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void requests_afterTheStoreHasGone_failAtOnce() {
        CompletableFuture<byte[]> wait = store1.get("k", SOON).toFuture();
        store1.add("n", 1).block(SOON);
        world.store.close();
        for (Mono<?> request : List.of(Mono.fromFuture(wait), store1.add("n", 1), store0.delete("k"))) {
            expectError(request, "the store has gone");
        }
    }
}
