package io.reactivecomm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class TensorClaimTest {

    /** A claim without a call. */
    private static class Claim extends TensorClaim {

        private final String label;
        private final List<Tensor> reads;
        private final List<Tensor> writes;

        Claim(String label, List<Tensor> reads, List<Tensor> writes) {
            this.label = label;
            this.reads = reads;
            this.writes = writes;
        }

        Claim begin() {
            claim(reads, writes);
            return this;
        }

        boolean isGranted() {
            try {
                begin();
                return true;
            } catch (InvalidCallException e) {
                return false;
            }
        }

        void end() {
            unclaim();
        }

        @Override
        protected String operation() {
            return "all-reduce";
        }

        @Override
        protected String label() {
            return label;
        }

        @Override
        protected boolean mayShareWith(TensorClaim earlier) {
            return false;
        }
    }

    private static Claim reading(Tensor... tensors) {
        return new Claim("reads#0", List.of(tensors), List.of());
    }

    private static Claim writing(Tensor... tensors) {
        return new Claim("writes#0", List.of(), List.of(tensors));
    }

    @Test
    void secondWriteOfATensor_namesBothCalls_andTheRemedy() {
        try (Tensor tensor = Tensor.of(new float[4])) {
            Claim first = new Claim("weights#3", List.of(), List.of(tensor)).begin();
            assertThatThrownBy(() -> new Claim("weights#4", List.of(), List.of(tensor)).begin())
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContaining(
                            "all-reduce cannot write memory that a call in flight writes: call=weights#4, tensor=FLOAT32[4]")
                    .hasMessageContaining("other=all-reduce weights#3")
                    .hasMessageContaining("released()");
            first.end();
            writing(tensor).begin().end();
        }
    }

    @Test
    void readsOverlap_andExcludeWrites() {
        try (Tensor tensor = Tensor.of(new float[4])) {
            Claim first = reading(tensor).begin();
            Claim second = reading(tensor.slice(1, 2)).begin();
            assertThat(writing(tensor.slice(2, 2)).isGranted()).isFalse();
            first.end();
            assertThat(writing(tensor.slice(2, 2)).isGranted()).isFalse();
            assertThat(writing(tensor.slice(3, 1)).isGranted()).isTrue();
            second.end();
        }
    }

    @Test
    void slicesAndViews_areComparedByTheirBytes() {
        try (Tensor tensor = Tensor.of(new float[4])) {
            writing(tensor.slice(0, 2)).begin();
            assertThat(writing(tensor.slice(2, 2)).isGranted()).isTrue();
            assertThat(reading(tensor.view(DType.INT8, 16).slice(7, 1)).isGranted())
                    .isFalse();
        }
    }

    @Test
    void refusedClaim_leavesNothingClaimed() {
        try (Tensor free = Tensor.of(new float[4]);
                Tensor taken = Tensor.of(new float[4])) {
            writing(taken).begin();
            assertThat(writing(free, taken).isGranted()).isFalse();
            assertThat(new Claim("both#0", List.of(taken), List.of(free)).isGranted())
                    .isFalse();
            assertThat(writing(free).isGranted()).isTrue();
        }
    }

    @Test
    void oneCallsOwnTensors_doNotExcludeEachOther() {
        try (Tensor tensor = Tensor.of(new float[4])) {
            Claim inPlace =
                    new Claim("in place#0", List.of(tensor.slice(0, 2)), List.of(tensor, tensor.slice(1, 1))).begin();
            assertThat(reading(tensor).isGranted()).isFalse();
            inPlace.end();
            assertThat(writing(tensor).isGranted()).isTrue();
        }
    }

    /** A call that writes the middle of a memory, where the first of its two elements is final. */
    @Test
    void readOfFinalBytes_andOfOthersThatNoCallWrites_isGranted() {
        try (Tensor tensor = Tensor.of(new byte[4])) {
            long last = tensor.address() + 2;
            Claim first = new Claim("parts#0", List.of(), List.of(tensor.slice(1, 2))) {
                @Override
                protected boolean areFinal(long from, long to) {
                    return from >= tensor.address() + 1 && to <= last;
                }
            };
            first.begin();
            assertThat(reading(tensor.slice(1, 1)).isGranted()).isTrue();
            assertThat(reading(tensor.slice(0, 2)).isGranted()).isTrue();
            assertThat(reading(tensor.slice(0, 3)).isGranted()).isFalse();
            assertThat(reading(tensor.slice(2, 2)).isGranted()).isFalse();
            assertThat(writing(tensor.slice(1, 1)).isGranted()).isFalse();
            first.end();
        }
    }

    @Test
    void emptyTensors_claimNothing() {
        try (Tensor tensor = Tensor.of(new float[4])) {
            Claim first = writing(tensor.slice(2, 0)).begin();
            assertThat(writing(tensor).isGranted()).isTrue();
            assertThat(writing(tensor.slice(1, 0)).isGranted()).isTrue();
            first.end();
        }
    }

    @Test
    void end_isIdempotent_andTouchesNoOther() {
        try (Tensor tensor = Tensor.of(new float[4])) {
            Claim first = writing(tensor).begin();
            first.end();
            Claim second = writing(tensor).begin();
            first.end();
            assertThat(writing(tensor).isGranted()).isFalse();
            second.end();
        }
    }

    /** Of ranges of one memory that begin and end at random, against a list of all that are claimed. */
    @Test
    void ranges_atRandom_matchAList() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int elements = 200;
        try (Tensor tensor = Tensor.of(new byte[elements])) {
            List<Claim> live = new ArrayList<>();
            for (int i = 0; i < 3_000; i++) {
                if (random.nextInt(3) == 0 && !live.isEmpty()) {
                    live.remove(random.nextInt(live.size())).end();
                } else {
                    Claim next = anyOf(tensor, random);
                    boolean expected = live.stream().noneMatch(each -> excludes(each, next));
                    assertThat(next.isGranted()).as("seed=%s, step=%s", seed, i).isEqualTo(expected);
                    if (expected) {
                        live.add(next);
                    }
                }
            }
            live.forEach(Claim::end);
            writing(tensor).begin().end();
        }
    }

    private static Claim anyOf(Tensor tensor, Random random) {
        List<Tensor> reads = new ArrayList<>();
        List<Tensor> writes = new ArrayList<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            long from = random.nextInt((int) tensor.count());
            long count = Math.min(tensor.count() - from, random.nextInt(random.nextInt(10) == 0 ? 100 : 4));
            (random.nextInt(3) == 0 ? writes : reads).add(tensor.slice(from, count));
        }
        return new Claim("random", reads, writes);
    }

    private static boolean excludes(Claim one, Claim other) {
        return meet(one.writes, other.writes) || meet(one.writes, other.reads) || meet(one.reads, other.writes);
    }

    private static boolean meet(List<Tensor> some, List<Tensor> others) {
        return some.stream()
                .anyMatch(one -> others.stream()
                        .anyMatch(other -> one.address() < other.address() + other.byteSize()
                                && other.address() < one.address() + one.byteSize()
                                && one.byteSize() > 0
                                && other.byteSize() > 0));
    }

    /** Threads that write the same two tensors, and slices of them: never two at once. */
    @Test
    void claims_ofManyThreads_excludeEachOther() throws InterruptedException {
        try (Tensor one = Tensor.of(new byte[4]);
                Tensor two = Tensor.of(new byte[4])) {
            AtomicInteger inside = new AtomicInteger();
            AtomicInteger most = new AtomicInteger();
            AtomicInteger granted = new AtomicInteger();
            CountDownLatch over = new CountDownLatch(4);
            for (int thread = 0; thread < 4; thread++) {
                boolean isSlice = thread % 2 == 0;
                Thread.ofPlatform().daemon().start(() -> {
                    for (int i = 0; i < 3_000; i++) {
                        Claim claim = isSlice ? writing(one.slice(1, 2), two) : writing(two, one);
                        if (claim.isGranted()) {
                            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                            granted.incrementAndGet();
                            inside.decrementAndGet();
                            claim.end();
                        }
                    }
                    over.countDown();
                });
            }
            over.await();
            assertThat(most.get()).isEqualTo(1);
            assertThat(granted.get()).isPositive();
            writing(one, two).begin().end();
        }
    }
}
