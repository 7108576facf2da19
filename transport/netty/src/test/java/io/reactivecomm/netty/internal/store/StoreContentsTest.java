package io.reactivecomm.netty.internal.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.spi.rendezvous.Rendezvous;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The store's memory by itself. */
class StoreContentsTest {

    private final StoreContents contents = StoreContents.empty();

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    @Test
    void table_whenFull_refusesAndTakesAgainAfterDelete() {
        byte[] value = new byte[Rendezvous.MAX_VALUE_BYTES];
        int fit = 0;
        try {
            for (; fit < 10_000; fit++) {
                contents.table().set("key" + fit, value);
            }
        } catch (IllegalArgumentException e) {
            assertThat(e).hasMessageContaining("the store is full");
        }
        assertThat((long) fit * value.length).isBetween(StoreBudget.MAX_BYTES * 9 / 10, StoreBudget.MAX_BYTES);
        assertThatThrownBy(() -> contents.queues().push("q", value)).hasMessageContaining("the store is full");
        assertThat(contents.table().delete("key0")).isTrue();
        assertThat(contents.queues().push("q", value)).isEqualTo(1);
        assertThatThrownBy(() -> contents.table().set("key0", value)).hasMessageContaining("the store is full");
        contents.queues().pop("q", _ -> {});
        contents.table().set("key0", value);
    }

    @Test
    void entriesWithNextToNothingInThem_areCountedWithWhatTheyCost() {
        int fit = 0;
        try {
            for (; fit < 2_000_000; fit++) {
                contents.table().set(Integer.toString(fit, Character.MAX_RADIX), new byte[0]);
            }
        } catch (IllegalArgumentException e) {
            assertThat(e).hasMessageContaining("the store is full");
        }
        assertThat(fit).isLessThan((int) (StoreBudget.MAX_BYTES / StoreBudget.ENTRY_BYTES));
    }

    @Test
    void append_beyondTheLongestValue_leavesTheValue() {
        contents.table().append("k", new byte[Rendezvous.MAX_VALUE_BYTES - 1]);
        assertThatThrownBy(() -> contents.table().append("k", new byte[2])).hasMessageContaining("value is too long");
        assertThat(contents.table().append("k", new byte[1])).isEqualTo(Rendezvous.MAX_VALUE_BYTES);
    }

    @Test
    void list_isInOrderAndEndsAtThePrefixAndTheLimit() {
        List.of("b/2", "b/1", "b", "c", "b/3", "a")
                .forEach(key -> contents.table().set(key, new byte[0]));
        assertThat(contents.table().list("b/", 10)).containsExactly("b/1", "b/2", "b/3");
        assertThat(contents.table().list("b", 2)).containsExactly("b", "b/1");
        assertThat(contents.table().list("d", 10)).isEmpty();
        assertThat(contents.table().list("", 10)).hasSize(6);
    }

    @Test
    void queue_servesWhoWaitsInOrder_andForgetsWhoHasGone() {
        List<String> taken = new ArrayList<>();
        StoreQueues.Taker first = value -> taken.add("first " + new String(value, UTF_8));
        StoreQueues.Taker second = value -> taken.add("second " + new String(value, UTF_8));
        contents.queues().pop("q", first);
        contents.queues().pop("q", second);
        contents.queues().forget("q", first);
        assertThat(contents.queues().push("q", bytes("1"))).isZero();
        assertThat(contents.queues().push("q", bytes("2"))).isEqualTo(1);
        contents.queues().pop("q", first);
        assertThat(taken).containsExactly("second 1", "first 2");
    }

    @Test
    void putBack_comesBeforeTheOthers_orGoesToWhoWaits() {
        List<String> taken = new ArrayList<>();
        StoreQueues.Taker taker = value -> taken.add(new String(value, UTF_8));
        contents.queues().push("q", bytes("2"));
        contents.queues().putBack("q", bytes("1"));
        contents.queues().pop("q", taker);
        contents.queues().pop("q", taker);
        contents.queues().pop("q", taker);
        contents.queues().putBack("q", bytes("3"));
        assertThat(taken).containsExactly("1", "2", "3");
    }

    @Test
    void queue_whenFull_refuses() {
        for (int i = 0; i < Rendezvous.MAX_QUEUED; i++) {
            contents.queues().push("q", new byte[0]);
        }
        assertThatThrownBy(() -> contents.queues().push("q", new byte[0]))
                .hasMessageContainingAll("the queue is full", "queue=q", "most=4096");
        contents.queues().pop("q", _ -> {});
        contents.queues().push("q", new byte[0]);
    }
}
