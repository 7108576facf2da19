package io.reactivecomm.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class WarmupTest {

    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final int COUNT = 5_000;

    /** Takes long without vectors, and with them until that has been done so often. */
    private record Slow(AtomicInteger calls, AtomicInteger spent, int slowCalls) implements Warmup.Trial {

        @Override
        public void onVectors() {
            if (calls.incrementAndGet() <= slowCalls) {
                spend(4_000);
            }
        }

        @Override
        public void plainly() {
            spend(2_000);
        }

        private void spend(int turns) {
            for (int i = 0; i < turns; i++) {
                spent.incrementAndGet();
            }
        }
    }

    @Test
    void loop_isWarmOnceItIsFaster_andIsTriedOnAnotherThread() {
        Slow trial = new Slow(new AtomicInteger(), new AtomicInteger(), 1_200);
        Warmup warmth = new Warmup(() -> trial);

        assertThat(warmth.isWarm()).isFalse();
        awaitWarm(warmth::isWarm);
        assertThat(trial.calls()).hasValueGreaterThan(1_200);
    }

    private static void awaitWarm(BooleanSupplier isWarm) {
        long end = System.nanoTime() + BOUND.toNanos();
        while (!isWarm.getAsBoolean() && System.nanoTime() - end < 0) {
            Thread.yield();
        }
        assertThat(isWarm.getAsBoolean()).as("warm").isTrue();
    }

    @Test
    void threadThatCannotBeMade_isNoFailure_andIsAskedForAgain() {
        AtomicInteger threads = new AtomicInteger();
        try (ThreadPoolExecutor pool =
                new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    if (threads.incrementAndGet() == 1) {
                        throw new OutOfMemoryError("expected: unable to create native thread");
                    }
                    return Thread.ofPlatform().daemon().unstarted(task);
                })) {
            Slow trial = new Slow(new AtomicInteger(), new AtomicInteger(), 0);
            Warmup warmth = new Warmup(() -> trial, pool);
            assertThat(warmth.isWarm()).isFalse();
            assertThat(threads).hasValue(1);
            awaitWarm(warmth::isWarm);
            assertThat(threads).hasValue(2);
        }
    }

    @Test
    void thread_isADaemonOfNobodysProgram() {
        CompletableFuture<Thread> on = new CompletableFuture<>();
        CompletableFuture<@Nullable ClassLoader> loader = new CompletableFuture<>();
        new Warmup(() -> {
                    on.complete(Thread.currentThread());
                    loader.complete(Thread.currentThread().getContextClassLoader());
                    return new Slow(new AtomicInteger(), new AtomicInteger(), 0);
                })
                .isWarm();
        Thread thread = on.orTimeout(BOUND.toSeconds(), TimeUnit.SECONDS).join();
        assertThat(thread.isDaemon()).isTrue();
        assertThat(thread.getName()).isEqualTo("rcomm-kernels");
        assertThat(loader.join()).isNull();
    }

    @Test
    void loopThatStaysSlow_keepsNoneWaiting() {
        AtomicBoolean nextIsWarm = new AtomicBoolean();
        CountDownLatch triedAfterwards = new CountDownLatch(1);
        Slow slow = new Slow(new AtomicInteger(), new AtomicInteger(), Integer.MAX_VALUE);
        Warmup.Trial hopeless = new Warmup.Trial() {
            @Override
            public void onVectors() {
                if (nextIsWarm.get()) {
                    triedAfterwards.countDown();
                    throw new OutOfMemoryError("expected: the end of the test");
                }
                slow.onVectors();
            }

            @Override
            public void plainly() {}
        };
        try (ThreadPoolExecutor pool = new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>())) {
            new Warmup(() -> hopeless, pool).isWarm();
            Warmup next = new Warmup(() -> new Slow(new AtomicInteger(), new AtomicInteger(), 0), pool);
            awaitWarm(next::isWarm);
            nextIsWarm.set(true);
            awaitWarm(() -> triedAfterwards.getCount() == 0);
        }
    }

    /** What vectors win once, while neither is compiled, say, is no reason to take them for ever. */
    @Test
    void vectorsThatWinNowAndThen_areNotWarm() {
        AtomicInteger turns = new AtomicInteger();
        AtomicInteger spent = new AtomicInteger();
        CountDownLatch done = new CountDownLatch(1);
        Warmup.Trial trial = new Warmup.Trial() {
            private int calls;

            @Override
            public void onVectors() {
                // The turns that compare have eight calls each: every second one is won.
                boolean isFast = calls >= 1_000 && (calls - 1_000) / 8 % 2 == 0;
                if (calls++ % 8 == 0 && turns.incrementAndGet() == 200) {
                    done.countDown();
                }
                spend(isFast ? 10 : 5_000);
            }

            @Override
            public void plainly() {
                spend(1_000);
            }

            private void spend(int count) {
                for (int i = 0; i < count; i++) {
                    spent.incrementAndGet();
                }
            }
        };
        Warmup warmth = new Warmup(() -> trial);
        warmth.isWarm();
        awaitWarm(() -> done.getCount() == 0);
        assertThat(warmth.isWarm()).isFalse();
    }

    static Stream<Arguments> kernels() {
        return Stream.of(ReduceOp.SUM, ReduceOp.PRODUCT, ReduceOp.MIN, ReduceOp.MAX, ReduceOp.AVG)
                .flatMap(op -> Stream.of(DType.FLOAT32, DType.BFLOAT16, DType.FLOAT16, DType.INT32)
                        .filter(type -> op.supports(type))
                        .map(type -> Arguments.of(type, op)));
    }

    @ParameterizedTest
    @MethodSource("kernels")
    void kernelOfALoop_hasTheSameBits_asThatOnVectors(DType type, ReduceOp op) {
        int operands = 3;
        try (Arena arena = Arena.ofShared()) {
            MemorySegment[] sources = new MemorySegment[operands];
            for (int s = 0; s < sources.length; s++) {
                sources[s] = arena.allocate((long) COUNT * type.byteSize(), 64);
                fill(sources[s], type, s);
            }
            MemorySegment target = arena.allocate((long) COUNT * type.byteSize(), 64);
            MemorySegment expected = folded(Kernels.of(type, op, false), type, target, sources);

            assertThat(folded(Kernels.forLoop(type, op), type, target, sources).mismatch(expected))
                    .as("until it is warm")
                    .isEqualTo(-1);
            assertThat(folded(Kernels.of(type, op, true), type, target, sources).mismatch(expected))
                    .as("on vectors")
                    .isEqualTo(-1);
        }
    }

    /** Zeros of both signs, infinities, subnormals and NaNs beside each other, and numbers of which a sum is rounded. */
    private static void fill(MemorySegment memory, DType type, int source) {
        double[] special = {0.0, -0.0, Double.NaN, 1e-40, -3e-41, 6e-8, Double.POSITIVE_INFINITY, -1.5, 3.1415927, 1e30
        };
        for (int i = 0; i < COUNT; i++) {
            float number = (float) special[(i + source * (1 + i / special.length)) % special.length];
            switch (type) {
                case FLOAT32 -> memory.setAtIndex(ValueLayout.JAVA_FLOAT, i, number);
                case BFLOAT16 ->
                    memory.setAtIndex(ValueLayout.JAVA_SHORT, i, (short) (Float.floatToIntBits(number) >>> 16));
                case FLOAT16 -> memory.setAtIndex(ValueLayout.JAVA_SHORT, i, Float.floatToFloat16(number));
                case INT32 -> memory.setAtIndex(ValueLayout.JAVA_INT, i, Float.floatToIntBits(number) * (i + 1));
                default -> throw new AssertionError(type);
            }
        }
    }

    /** {@return what came of it, with one NaN for all: their payload is outside the contract} */
    private static MemorySegment folded(FoldKernel kernel, DType type, MemorySegment target, MemorySegment[] sources) {
        kernel.fold(target, sources, new boolean[sources.length], sources.length, COUNT, sources.length);
        MemorySegment found = MemorySegment.ofArray(new long[COUNT * type.byteSize() / Long.BYTES])
                .copyFrom(target);
        for (int i = 0; i < COUNT; i++) {
            switch (type) {
                case FLOAT32 -> {
                    if (Float.isNaN(found.getAtIndex(ValueLayout.JAVA_FLOAT, i))) {
                        found.setAtIndex(ValueLayout.JAVA_FLOAT, i, Float.NaN);
                    }
                }
                case BFLOAT16 -> canonize(found, i, (short) 0x7F80);
                case FLOAT16 -> canonize(found, i, (short) 0x7C00);
                default -> {}
            }
        }
        return found;
    }

    private static void canonize(MemorySegment found, int index, short infinity) {
        if ((found.getAtIndex(ValueLayout.JAVA_SHORT, index) & 0x7FFF) > infinity) {
            found.setAtIndex(ValueLayout.JAVA_SHORT, index, (short) -1);
        }
    }
}
