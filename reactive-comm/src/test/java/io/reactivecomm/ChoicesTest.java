package io.reactivecomm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ChoicesTest {

    private static Set<Operation> off(String text) {
        return Choices.fromEnvironment(Map.of("RCOMM_OFF", text)).off();
    }

    @Test
    void fromEnvironment_nothingSet_isTheDefault() {
        assertThat(Choices.fromEnvironment(Map.of())).isEqualTo(Choices.DEFAULT);
        assertThat(Choices.DEFAULT.backend()).isEqualTo("cpu:links");
    }

    @Test
    void off_namesInAnyOrder_areOperations() {
        assertThat(off("broadcast, all-reduce")).containsExactly(Operation.ALL_REDUCE, Operation.BROADCAST);
        assertThat(off("backward")).containsExactly(Operation.ALL_GATHER, Operation.REDUCE_SCATTER);
        assertThat(off("")).isEmpty();
        assertThat(off("all-reduce,,")).containsExactly(Operation.ALL_REDUCE);
    }

    @Test
    void off_everyLabel_isRead() {
        for (Operation operation :
                EnumSet.complementOf(EnumSet.of(Operation.MESSAGE, Operation.NEW_GROUP, Operation.COALESCED))) {
            assertThat(off(operation.label())).containsExactly(operation);
        }
    }

    @Test
    void off_unknownName_listsTheKnownOnes() {
        assertThatThrownBy(() -> off("all-reduce,AllGather"))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContainingAll("AllGather", "backward", "all-gather", "reduce-scatter");
    }

    @Test
    void off_ofTheCallersSet_isACopy() {
        Set<Operation> mine = EnumSet.of(Operation.BROADCAST);
        Choices choices = new Choices("cpu:links", mine, "");
        mine.add(Operation.REDUCE);
        assertThat(choices.off()).containsExactly(Operation.BROADCAST);
        assertThatThrownBy(() -> choices.off().add(Operation.REDUCE)).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void texts_doNotDependOnTheOrderOfOff() {
        Choices one = Choices.fromEnvironment(Map.of("RCOMM_OFF", "broadcast,all-reduce", "RCOMM_ALGORITHMS", "x"));
        Choices other = Choices.fromEnvironment(Map.of("RCOMM_OFF", "all-reduce,broadcast", "RCOMM_ALGORITHMS", "x"));
        assertThat(one.texts())
                .isEqualTo(other.texts())
                .containsEntry("RCOMM_OFF", "all-reduce,broadcast")
                .containsEntry("RCOMM_BACKEND", "cpu:links")
                .containsEntry("RCOMM_ALGORITHMS", "x");
    }

    @Test
    void bits_areReadAndCompared_andThoseThatThereAreNotAreRefused() {
        Choices choices = Choices.fromEnvironment(Map.of("RCOMM_BITS", "any-order"));
        assertThat(choices.bits()).isEqualTo(Bits.ANY_ORDER);
        assertThat(choices.texts()).containsEntry("RCOMM_BITS", "any-order");
        assertThat(Choices.DEFAULT.texts()).containsEntry("RCOMM_BITS", "rank-order");
        assertThatThrownBy(() -> Choices.fromEnvironment(Map.of("RCOMM_BITS", "ANY_ORDER")))
                .isInstanceOf(RendezvousException.class)
                .hasMessage("no such bits: RCOMM_BITS=ANY_ORDER; write rank-order or any-order");
    }

    @Test
    void longTexts_areRefused() {
        String longest = "x".repeat(Choices.MAX_CHARS);
        assertThat(new Choices(longest, Set.of(), longest).backend()).isEqualTo(longest);
        assertThatThrownBy(() -> new Choices(longest + "x", Set.of(), "")).hasMessageContaining("RCOMM_BACKEND");
        assertThatThrownBy(() -> new Choices("x", Set.of(), longest + "x")).hasMessageContaining("RCOMM_ALGORITHMS");
    }

    @Test
    void nothing_whereThereIsToBeSomething_isNamed() {
        CommConfig config = CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT);
        assertThatNullPointerException()
                .isThrownBy(() -> config.withBits(unset()))
                .withMessageContaining("bits=null");
        assertThatNullPointerException()
                .isThrownBy(() -> config.withInterface(unset()))
                .withMessageContaining("RCOMM_INTERFACE=null");
    }

    @SuppressWarnings("NullAway") // As a caller without a checker may.
    private static <T> T unset() {
        return null;
    }
}
