package io.reactivecomm.compression.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

class StepMemoryTest {

    private final List<Tensor> allocated = new ArrayList<>();

    private Tensor allocate() {
        allocated.add(Tensor.allocate(DType.FLOAT32, 8));
        return allocated.getLast();
    }

    private boolean areGivenBack() {
        return allocated.stream().allMatch(each -> each.released().toFuture().isDone());
    }

    @Test
    void tensors_areGivenBack_beforeTheEndIsTold() {
        StepVerifier.create(StepMemory.with(memory -> Mono.just(memory.of(this::allocate)))
                        .map(tensor -> areGivenBack()))
                .expectNext(true)
                .verifyComplete();
        assertThat(allocated).hasSize(1);
    }

    /** Allocations are those of a constructor: nobody has the first tensor when the second fails. */
    @Test
    void tensorThatCannotBeHad_takesTheOthersWithIt() {
        StepVerifier.create(StepMemory.<String>with(memory -> {
                    memory.of(this::allocate);
                    memory.of(() -> {
                        throw new IllegalStateException("planted");
                    });
                    return Mono.just("never");
                }))
                .verifyErrorMessage("planted");
        assertThat(areGivenBack()).isTrue();
    }

    /** Reactor would tell nobody of it. */
    @Test
    void memoryThatIsUsedUp_isAnErrorOfTheCall() {
        StepVerifier.create(StepMemory.<String>with(memory -> {
                    throw new OutOfMemoryError("planted");
                }))
                .verifyErrorSatisfies(error ->
                        assertThat(error).isInstanceOf(CommException.class).hasMessageContaining("planted"));
    }
}
