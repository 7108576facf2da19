package io.reactivecomm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.reactivecomm.spi.Failure;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Errors without a message of their own are named by their type, and never by «null». */
class NoMessageTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private static final class Wordless extends RuntimeException {

        private static final long serialVersionUID = 1L;
    }

    @Test
    void textOf_anError_isItsMessageOrItsType() {
        assertThat(CommException.textOf(new IllegalStateException("because"))).isEqualTo("because");
        assertThat(CommException.textOf(new ClosedChannelException()))
                .isEqualTo("java.nio.channels.ClosedChannelException");
        assertThat(CommException.textOf(new CommException(null))).isEqualTo("io.reactivecomm.CommException");
    }

    @Test
    void failure_ofAnErrorWithoutMessage_namesItsType() {
        assertThat(Failure.of(new InvalidCallException(null), 3).text())
                .isEqualTo("io.reactivecomm.InvalidCallException");
    }

    /** {@return the messages of both ranks' errors, of calls that rank 0 fails} */
    private static List<String> errors(Function<ProcessGroup, Mono<?>> call) {
        try (LocalWorld world = ReactiveComm.local(2)) {
            return Flux.fromIterable(world.groups())
                    .flatMap(group -> call.apply(group)
                            .then(Mono.just("no error"))
                            .onErrorResume(error -> Mono.just(String.valueOf(error.getMessage()))))
                    .collectList()
                    .block(LIMIT);
        }
    }

    @Test
    void compositeThatFailsWithoutAWord_saysWithWhatOnTheOtherRank() {
        List<String> known = errors(group -> group.composite("own")
                .mono(inside -> group.rank() == 0 ? Mono.error(new CommException(null)) : inside.barrier()));
        assertThat(known)
                .anySatisfy(text -> assertThat(text)
                        .contains("io.reactivecomm.CommException", "rank=0")
                        .doesNotContain("null"));
        List<String> other = errors(group -> group.composite("own")
                .mono(inside -> group.rank() == 0 ? Mono.error(new Wordless()) : inside.barrier()));
        assertThat(other)
                .anySatisfy(text -> assertThat(text)
                        .contains(Wordless.class.getName(), "rank=0")
                        .doesNotContain("null"));
    }

    @Test
    void streamThatFailsWithoutAWord_saysWithWhatOnTheOtherRank() {
        for (RuntimeException thrown : List.of(new Wordless(), new CommException(null))) {
            List<String> errors = errors(group -> group.rank() == 0
                    ? group.sendAll(Flux.error(thrown), 1, 0).then()
                    : group.receiveAll(0, 0).doOnNext(Tensor::close).then());
            assertThat(errors)
                    .anySatisfy(text -> assertThat(text)
                            .contains(thrown.getClass().getName())
                            .doesNotContain("cause=null"));
        }
    }

    @Test
    void objectThatCannotBeWritten_saysWhyWithoutNull() {
        ObjectCodec<String> codec = new ObjectCodec<>() {
            @Override
            public byte[] encode(String value) {
                throw new Wordless();
            }

            @Override
            public String decode(byte[] bytes) {
                return "";
            }
        };
        try (LocalWorld world = ReactiveComm.local(1)) {
            Throwable error = catchThrowable(
                    () -> world.groups().getFirst().allGatherObject("x", codec).block(LIMIT));
            assertThat(error).hasMessageContaining(Wordless.class.getName());
            assertThat(error.getMessage()).doesNotContain("null");
        }
    }
}
