package io.reactivecomm.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.ObjectCodec;
import io.reactivecomm.ProcessGroup;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The end of a rank's operation on objects.
 *
 * @param value null if there was none
 * @param error null if there was none
 */
@SuppressWarnings("NullAway") // Null stands for an end without a value, which is what some operations have.
public record ObjectEnding<T>(@Nullable T value, @Nullable Throwable error) {

    /** Text that may be empty, and takes no bytes then. */
    public static final ObjectCodec<String> TEXT = new ObjectCodec<>() {

        @Override
        public byte[] encode(String value) {
            return value.getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public String decode(byte[] bytes) {
            return new String(bytes, StandardCharsets.UTF_8);
        }
    };

    /** Text that can be written, and not read. */
    public static final ObjectCodec<String> UNREADABLE = new ObjectCodec<>() {

        @Override
        public byte[] encode(String value) {
            return TEXT.encode(value);
        }

        @Override
        public String decode(byte[] bytes) {
            throw new IllegalStateException("planted");
        }
    };

    /** {@return the value; requires that there is no error} */
    public @Nullable T present() {
        assertThat(error).isNull();
        return value;
    }

    /** {@return the error; requires that there is one of that type} */
    public <E extends Throwable> E error(Class<E> type) {
        assertThat(error).as("the error of an operation that gave %s", value).isInstanceOf(type);
        return type.cast(error);
    }

    private static <T> CompletableFuture<ObjectEnding<T>> start(Mono<T> operation) {
        return operation
                .map(value -> new ObjectEnding<>(value, null))
                .defaultIfEmpty(new ObjectEnding<>(null, null))
                .onErrorResume(error -> Mono.just(new ObjectEnding<>(null, error)))
                .toFuture();
    }

    /** Assembles every rank's operation, subscribes to all, and waits. {@return how each ended; index = rank} */
    public static <T> List<ObjectEnding<T>> all(
            List<ProcessGroup> groups, Duration limit, Function<ProcessGroup, Mono<T>> operation) {
        List<Mono<T>> assembled = groups.stream().map(operation).toList();
        List<CompletableFuture<ObjectEnding<T>>> started =
                assembled.stream().map(ObjectEnding::start).toList();
        return started.stream().map(each -> Mono.fromFuture(each).block(limit)).toList();
    }

    /** As {@link #all}, and requires that none fails. {@return the values, null where there is none} */
    public static <T> List<@Nullable T> values(
            List<ProcessGroup> groups, Duration limit, Function<ProcessGroup, Mono<T>> operation) {
        List<@Nullable T> values = new ArrayList<>();
        all(groups, limit, operation).forEach(ending -> values.add(ending.present()));
        return values;
    }
}
