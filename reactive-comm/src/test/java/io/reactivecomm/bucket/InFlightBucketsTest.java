package io.reactivecomm.bucket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.DType;
import io.reactivecomm.Handle;
import io.reactivecomm.Move;
import io.reactivecomm.Tensor;
import io.reactivecomm.hook.Gradient;
import io.reactivecomm.kernel.HostMoves;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class InFlightBucketsTest {

    private static final Duration DEADLINE = Duration.ofSeconds(30);

    private static final int MANY = 200;

    private static final BucketOptions ALONE =
            BucketOptions.DEFAULT.withBucketBytes(4).withScaling(Scaling.SUM);

    private final List<Tensor> open = new ArrayList<>();
    private final BorrowedGradients borrowed = new BorrowedGradients(0, new KeptGradients());
    private final FlatBuffers buffers =
            new FlatBuffers((device, bytes) -> throwing(kept(Tensor.allocate(DType.UINT8, bytes))));

    @AfterEach
    void closeTensors() {
        open.forEach(Tensor::close);
    }

    private Tensor kept(Tensor tensor) {
        open.add(tensor);
        return tensor;
    }

    /** {@return the tensor, which throws once it was given back} */
    private static Tensor throwing(Tensor tensor) {
        return (Tensor) Proxy.newProxyInstance(
                Tensor.class.getClassLoader(), new Class<?>[] {Tensor.class}, (proxy, method, arguments) -> {
                    try {
                        Object result = method.invoke(tensor, arguments);
                        if (method.getName().equals("giveBack")) {
                            throw new IllegalStateException("planted");
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private StepProgress step(BucketPlan plan) {
        StepProgress step = new StepProgress(plan, ResultOrder.COMPLETION);
        plan.parameters()
                .forEach(each -> borrowed.take(
                        new Gradient(each.name(), kept(Tensor.allocate(each.type(), each.count()))), step));
        return step;
    }

    private InFlightBuckets flights(StepProgress step, BucketOptions options) {
        List<Flight> all = step.plan().buckets().stream()
                .<Flight>map(bucket -> new InFlightBucket(bucket, options, 2, DEADLINE, InFlightBucketsTest::moved))
                .toList();
        return new InFlightBuckets(step, all, buffers, borrowed);
    }

    private static Handle moved(List<Move> moves) {
        HostMoves.run(moves);
        return Handle.DONE;
    }

    private static BucketPlan plan(int buckets, BucketOptions options) {
        return new BucketPlan(
                IntStream.range(0, buckets)
                        .mapToObj(i -> new Parameter("p" + i, DType.FLOAT32, 1))
                        .toList(),
                options,
                2);
    }

    private static List<Flight> begun(InFlightBuckets flights) {
        List<Flight> begun = new ArrayList<>();
        for (Flight next = flights.next(null); next != null; next = flights.next(null)) {
            begun.add(next);
        }
        return begun;
    }

    @Test
    void flights_ofWholeBuckets_allBegin_andNoneAfterTheEnd() {
        InFlightBuckets flights = flights(step(plan(MANY, ALONE)), ALONE);
        assertThat(begun(flights)).hasSize(MANY);

        InFlightBuckets ended = flights(step(plan(MANY, ALONE)), ALONE);
        Flight first = Objects.requireNonNull(ended.next(null));
        ended.end();
        assertThat(begun(ended)).isEmpty();
        assertThat(ended.areOver()).as("one is under way").isFalse();
        ended.landed(first, true);
        assertThat(ended.areOver()).isTrue();
    }

    @Test
    void bufferWhoseTensorThrows_isTheNextBucketsAllTheSame() {
        BucketOptions converted = ALONE.withCommunicationType(DType.BFLOAT16).withBucketBytes(2);
        InFlightBuckets flights = flights(step(plan(3, converted)), converted);
        Flight first = Objects.requireNonNull(flights.next(null));
        Flight second = Objects.requireNonNull(flights.next(null));
        assertThat(flights.next(null)).as("both buffers are taken").isNull();

        assertThatThrownBy(() -> flights.landed(first, true))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("planted");
        assertThat(flights.next(null)).isNotNull();
        assertThat(second.bucket().index()).isEqualTo(1);
    }

    /** A library may still be at what a failed call has borrowed. */
    @Test
    void bufferOfACallThatFailed_isNoOtherBuckets() {
        BucketOptions converted = ALONE.withCommunicationType(DType.BFLOAT16).withBucketBytes(2);
        InFlightBuckets flights = flights(step(plan(3, converted)), converted);
        InFlightBucket first = (InFlightBucket) Objects.requireNonNull(flights.next(null));
        Tensor touched = first.tensor();
        touched.borrow();
        Objects.requireNonNull(flights.next(null));
        assertThatThrownBy(() -> flights.landed(first, false)).hasMessage("planted");
        InFlightBucket third = (InFlightBucket) Objects.requireNonNull(flights.next(null));
        assertThat(third.tensor().address()).isNotEqualTo(touched.address());
        touched.giveBack();
        assertThatThrownBy(touched::segment)
                .as("it is freed when the library has let go")
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void gradients_ofWhichOneThrows_areAllGivenBack() {
        Tensor sound = kept(Tensor.allocate(DType.FLOAT32, 1));
        Tensor bad = throwing(kept(Tensor.allocate(DType.FLOAT32, 1)));
        borrowed.take(new Gradient("bad", bad), null);
        borrowed.take(new Gradient("sound", sound), null);

        assertThatThrownBy(borrowed::giveAllBack)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("planted");
        assertThat(sound.released().toFuture()).isDone();
    }

    @Test
    void tensorOfABucket_isBorrowedWithTheMemoryThatItLiesIn() {
        InFlightBuckets flights = flights(step(plan(1, ALONE)), ALONE);
        InFlightBucket flight = (InFlightBucket) Objects.requireNonNull(flights.next(null));
        Tensor bucket = flight.tensor();

        assertThat(bucket.borrow()).isTrue();
        flights.landed(flight, true);
        assertThat(bucket.released().toFuture()).isNotDone();
        bucket.giveBack();
        assertThat(bucket.released().toFuture()).isDone();
    }
}
