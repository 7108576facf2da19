package io.reactivecomm.internal.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Borrows that last until a library releases them. */
class LastingBorrowsTest {

    private static final int MOST_COLLECTIONS = 50;

    private final List<String> log = new ArrayList<>();

    /** Leaves nothing on the stack that holds the memory. */
    private WeakReference<Object> borrowUntil(Mono<Void> released) {
        Object memory = new Object();
        LastingBorrows.until(
                () -> released, () -> log.add("given back: " + memory.getClass().getSimpleName()));
        return new WeakReference<>(memory);
    }

    private static void collect(WeakReference<Object> garbage) {
        for (int i = 0; i < MOST_COLLECTIONS && garbage.get() != null; i++) {
            System.gc();
        }
    }

    @Test
    void whatIsNeverReleased_isNeverCollected() {
        WeakReference<Object> garbage = borrowUntil(Sinks.<Void>empty().asMono());
        WeakReference<Object> unknown = borrowUntil(Mono.error(new IllegalStateException("planted")));
        WeakReference<Object> other = new WeakReference<>(new Object());
        collect(other);
        assertThat(other.get()).as("the collector has run").isNull();
        assertThat(garbage.get()).isNotNull();
        assertThat(unknown.get()).isNotNull();
        assertThat(log).isEmpty();
    }

    @Test
    @SuppressWarnings("NullAway")
    void handleThatDoesNotSay_isNeverReleased() {
        LastingBorrows.until(
                () -> {
                    throw new IllegalStateException("planted");
                },
                () -> log.add("given back"));
        LastingBorrows.until(
                () -> {
                    throw new ErrorTextsTest.Mute();
                },
                () -> log.add("given back"));
        LastingBorrows.until(
                () -> {
                    Thrown.on(new IOException("planted"));
                    return Mono.empty();
                },
                () -> log.add("given back"));
        LastingBorrows.until(() -> null, () -> log.add("given back"));
        assertThat(log).isEmpty();
    }

    @Test
    void whatIsReleased_isGivenBackOnce_andCollected() {
        Sinks.Empty<Void> released = Sinks.empty();
        WeakReference<Object> garbage = borrowUntil(released.asMono());
        assertThat(log).isEmpty();
        released.tryEmitEmpty();
        assertThat(log).containsExactly("given back: Object");
        collect(garbage);
        assertThat(garbage.get()).isNull();
    }
}
