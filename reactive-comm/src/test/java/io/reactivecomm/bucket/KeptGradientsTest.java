package io.reactivecomm.bucket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.DType;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.Tensor;
import io.reactivecomm.hook.Gradient;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

class KeptGradientsTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    /** A tensor of the host that counts who keeps it. */
    private record Counted(Tensor tensor, AtomicInteger keeps) {

        static Counted of(int count) {
            Tensor own = Tensor.allocate(DType.FLOAT32, count);
            AtomicInteger keeps = new AtomicInteger();
            Tensor counting = (Tensor) Proxy.newProxyInstance(
                    Tensor.class.getClassLoader(), new Class<?>[] {Tensor.class}, (self, method, arguments) -> {
                        try {
                            keeps.addAndGet(
                                    method.getName().equals("keep")
                                            ? 1
                                            : method.getName().equals("unkeep") ? -1 : 0);
                            return method.invoke(own, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
            return new Counted(counting, keeps);
        }
    }

    @Test
    void gradient_isKept_fromTheMomentOnInWhichItIsHandedOver_untilItComesBack() {
        List<Counted> counted = List.of(Counted.of(3), Counted.of(5), Counted.of(7));
        List<Integer> keptOnReturn = new ArrayList<>();
        try (LocalWorld world = ReactiveComm.local(1)) {
            GradientBuckets buckets = GradientBuckets.of(world.groups().getFirst(), BucketOptions.DEFAULT);
            Flux.<Gradient>create(sink -> {
                        for (int i = 0; i < counted.size(); i++) {
                            sink.next(new Gradient("p" + i, counted.get(i).tensor()));
                            keptOnReturn.add(counted.get(i).keeps().get());
                        }
                        sink.complete();
                    })
                    .transform(buckets)
                    .doOnNext(each -> assertThat(counted)
                            .filteredOn(one -> one.tensor() == each.tensor())
                            .allSatisfy(one -> assertThat(one.keeps()).hasValue(0)))
                    .blockLast(LIMIT);
        }
        assertThat(keptOnReturn).containsExactly(1, 1, 1);
        assertThat(counted).allSatisfy(each -> {
            assertThat(each.keeps()).hasValue(0);
            each.tensor().close();
            assertThat(each.tensor().released().toFuture()).isDone();
        });
    }

    @Test
    void gradientsOfAStepThatFails_areKeptNoLonger() {
        Counted first = Counted.of(3);
        Counted closed = Counted.of(3);
        closed.tensor().close();
        try (LocalWorld world = ReactiveComm.local(1)) {
            GradientBuckets buckets = GradientBuckets.of(world.groups().getFirst(), BucketOptions.DEFAULT);
            Flux<Gradient> step = Flux.just(new Gradient("a", first.tensor()), new Gradient("b", closed.tensor()))
                    .transform(buckets);
            assertThatThrownBy(() -> step.blockLast(LIMIT)).hasMessageContaining("closed");
        }
        first.tensor().close();
        assertThat(first.tensor().released().toFuture()).isDone();
        assertThat(first.keeps()).hasValue(0);
    }
}
