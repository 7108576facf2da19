package io.reactivecomm.testkit.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.GuardedMemory;
import io.reactivecomm.testkit.Inputs;
import io.reactivecomm.testkit.WorldContract;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract of send and receive: to match by source, destination, name and tag in the order of the calls, and from any by arrival. */
public abstract class MessageContract extends WorldContract {

    /** More than an engine announces to a peer that does not answer. */
    private static final int MANY = 700;

    final Stream<Long> counts() {
        return Stream.of(0L, 1L, 4999L, 200_003L);
    }

    @Tag("smoke")
    @ParameterizedTest(name = "{0}")
    @EnumSource(DType.class)
    void message_eachTypeAndCount_arrivesWhole(DType type) {
        List<ProcessGroup> groups = world(3);
        for (long count : counts().toList()) {
            try (GuardedMemory memory = new GuardedMemory()) {
                Tensor sent = memory.input(type, count, 1, 2);
                Tensor received = memory.tensor(type, count);

                CompletableFuture<Outcome> send = begin(groups.get(2).send(sent, 0, 5));
                Work work = end(begin(groups.get(0).receive(received, 2, 5))).work();

                requireContent(received, 1, 2);
                requireContent(sent, 1, 2);
                assertThat(work.peer()).isEqualTo(2);
                assertThat(work.operation()).isEqualTo("receive");
                assertThat(work.byteSize()).isEqualTo(received.byteSize());
                assertThat(end(send).work().peer()).isZero();
            }
        }
    }

    private static void requireContent(Tensor tensor, int salt, int contributor) {
        long at = Inputs.mismatch(tensor.segment(), tensor.type(), salt, contributor);
        if (at >= 0) {
            throw new AssertionError("element " + at + " of " + tensor + " is not what rank " + contributor
                    + " sent in message " + salt);
        }
    }

    @Test
    void messages_betweenAllPairsAtOnce_arriveWhole() {
        int size = 5;
        List<ProcessGroup> groups = world(size);
        try (GuardedMemory memory = new GuardedMemory()) {
            List<CompletableFuture<Outcome>> begun = new ArrayList<>();
            List<Runnable> checks = new ArrayList<>();
            for (int from = 0; from < size; from++) {
                for (int to = 0; to < size; to++) {
                    if (from != to) {
                        int salt = from * size + to;
                        int source = from;
                        Tensor received = memory.tensor(DType.FLOAT32, 100_000);
                        begun.add(begin(groups.get(to).receive(received, from, 0)));
                        begun.add(
                                begin(groups.get(from).send(memory.input(DType.FLOAT32, 100_000, salt, from), to, 0)));
                        checks.add(() -> requireContent(received, salt, source));
                    }
                }
            }
            begun.forEach(each -> end(each).work());
            checks.forEach(Runnable::run);
        }
    }

    @ParameterizedTest(name = "count={0}")
    @MethodSource("counts")
    void messages_ofOneTag_matchInOrder_andTagsAndNamesApart(long count) {
        List<ProcessGroup> groups = world(2);
        try (GuardedMemory memory = new GuardedMemory()) {
            List<CompletableFuture<Outcome>> begun = new ArrayList<>();
            List<Tensor> received = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                begun.add(begin(view(groups.get(0), i).send(memory.input(DType.INT32, count, i, 0), 1, i % 2)));
            }
            // The other end goes through tags and names in another order; within each it keeps the order.
            List<Integer> order = new ArrayList<>(List.of(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10));
            for (int i : order) {
                Tensor tensor = memory.tensor(DType.INT32, count);
                received.add(tensor);
                begun.add(begin(view(groups.get(1), i).receive(tensor, 0, i % 2)));
            }
            begun.forEach(each -> end(each).work());
            for (int i = 0; i < order.size(); i++) {
                requireContent(received.get(i), order.get(i), 0);
            }
        }
    }

    private static ProcessGroup view(ProcessGroup group, int i) {
        return i % 3 == 0 ? group : group.named("n" + i % 3);
    }

    @Test
    void receive_fromAny_takesEachMessageOnce_andTellsFromWhom() {
        int size = 4;
        List<ProcessGroup> groups = world(size);
        try (GuardedMemory memory = new GuardedMemory()) {
            List<Tensor> received = new ArrayList<>();
            List<CompletableFuture<Outcome>> receives = new ArrayList<>();
            for (int i = 0; i < 2 * (size - 1); i++) {
                Tensor tensor = memory.tensor(DType.INT64, 5000);
                received.add(tensor);
                receives.add(begin(groups.get(0).receive(tensor, ProcessGroup.ANY, 9)));
            }
            List<CompletableFuture<Outcome>> sends = new ArrayList<>();
            for (int i = 0; i < 2 * (size - 1); i++) {
                int from = 1 + i % (size - 1);
                sends.add(begin(groups.get(from).send(memory.input(DType.INT64, 5000, i / (size - 1), from), 0, 9)));
            }
            int[] seen = new int[size];
            for (int i = 0; i < receives.size(); i++) {
                int peer = end(receives.get(i)).work().peer();
                requireContent(received.get(i), seen[peer]++, peer);
            }
            assertThat(seen).containsExactly(0, 2, 2, 2);
            sends.forEach(each -> end(each).work());
        }
    }

    @Test
    void receive_fromAny_takesWhatWasSentBefore() {
        List<ProcessGroup> groups = world(2);
        try (GuardedMemory memory = new GuardedMemory()) {
            CompletableFuture<Outcome> send = begin(groups.get(1).send(memory.input(DType.INT8, 10, 3, 1), 0, 0));
            all(groups, ProcessGroup::barrier);
            Tensor received = memory.tensor(DType.INT8, 10);

            assertThat(end(begin(groups.get(0).receive(received, ProcessGroup.ANY, 0)))
                            .work()
                            .peer())
                    .isEqualTo(1);

            requireContent(received, 3, 1);
            end(send).work();
        }
    }

    @Test
    void sends_manyThatNobodyReceives_doNotHoldUpOthers() {
        List<ProcessGroup> groups = world(2);
        try (GuardedMemory memory = new GuardedMemory()) {
            List<CompletableFuture<Outcome>> unwanted = IntStream.range(0, MANY)
                    .mapToObj(i -> begin(groups.get(0).send(memory.input(DType.INT32, 7, i, 0), 1, 1)))
                    .toList();
            Tensor wanted = memory.tensor(DType.INT32, 50_000);

            CompletableFuture<Outcome> send = begin(groups.get(0).send(memory.input(DType.INT32, 50_000, -1, 0), 1, 2));
            end(begin(groups.get(1).receive(wanted, 0, 2))).work();
            end(send).work();
            all(groups, ProcessGroup::barrier);

            requireContent(wanted, -1, 0);
            assertThat(unwanted).noneMatch(CompletableFuture::isDone);
            for (int i = 0; i < MANY; i++) {
                Tensor received = memory.tensor(DType.INT32, 7);
                end(begin(groups.get(1).receive(received, 0, 1))).work();
                requireContent(received, i, 0);
            }
            unwanted.forEach(each -> end(each).work());
        }
    }

    @Test
    void messages_manyWithTagsInRandomOrdersOnBothEnds_match() {
        List<ProcessGroup> groups = world(2);
        Random random = new Random(11);
        try (GuardedMemory memory = new GuardedMemory()) {
            List<Integer> sends =
                    new ArrayList<>(IntStream.range(0, 2 * MANY).boxed().toList());
            List<Integer> receives = new ArrayList<>(sends);
            Collections.shuffle(sends, random);
            Collections.shuffle(receives, random);
            List<CompletableFuture<Outcome>> begun = new ArrayList<>();
            List<Tensor> received = new ArrayList<>();
            for (int i = 0; i < sends.size(); i++) {
                begun.add(begin(groups.get(0).send(memory.input(DType.INT32, 3, sends.get(i), 0), 1, sends.get(i))));
                Tensor tensor = memory.tensor(DType.INT32, 3);
                received.add(tensor);
                begun.add(begin(groups.get(1).receive(tensor, 0, receives.get(i))));
            }
            begun.forEach(each -> end(each).work());
            for (int i = 0; i < received.size(); i++) {
                requireContent(received.get(i), receives.get(i), 0);
            }
        }
    }

    @Tag("smoke")
    @Test
    void message_ofAnotherShape_failsBothEndsAndNoOther() {
        List<ProcessGroup> groups = world(2);
        try (GuardedMemory memory = new GuardedMemory()) {
            CompletableFuture<Outcome> send = begin(groups.get(0).send(memory.input(DType.INT32, 5, 0, 0), 1, 0));
            CompletableFuture<Outcome> next = begin(groups.get(0).send(memory.input(DType.INT32, 5, 1, 0), 1, 0));
            CompletableFuture<Outcome> receive = begin(groups.get(1).receive(memory.tensor(DType.INT32, 4), 0, 0));
            Tensor received = memory.tensor(DType.INT32, 5);
            CompletableFuture<Outcome> receiveNext = begin(groups.get(1).receive(received, 0, 0));

            String sides = "rank 0 called send(INT32 × 5)";
            assertThat(end(send).error(MismatchException.class))
                    .hasMessageContaining(sides)
                    .hasMessageContaining("rank 1 called receive(INT32 × 4)");
            assertThat(end(receive).error(MismatchException.class)).hasMessageContaining(sides);
            end(next).work();
            end(receiveNext).work();
            requireContent(received, 1, 0);
        }
    }
}
