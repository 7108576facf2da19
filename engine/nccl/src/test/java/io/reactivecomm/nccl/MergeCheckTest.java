package io.reactivecomm.nccl;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The comparison of launches finds what is planted in them. */
class MergeCheckTest {

    private static NcclDouble.Launch launch(int rank, long group, long communicator, String text) {
        return new NcclDouble.Launch(100 + rank, group, communicator, rank, 1, text);
    }

    @Test
    void launches_thatAreAlike_areAlike() {
        assertThat(MergeCheck.difference(List.of(
                        launch(0, 1, 7, "a;b;"),
                        launch(1, 2, 7, "a;b;"),
                        launch(0, 3, 8, "c;"),
                        launch(2, 4, 8, "c;"))))
                .isEmpty();
    }

    @Test
    void groups_thatAreCutOtherwise_areFound() {
        assertThat(MergeCheck.difference(
                        List.of(launch(0, 1, 7, "a;b;"), launch(1, 2, 7, "a;"), launch(1, 3, 7, "b;"))))
                .anySatisfy(each -> assertThat(each).contains("merged otherwise"));
    }

    @Test
    void communicators_inAnotherOrder_areFound() {
        assertThat(MergeCheck.difference(List.of(
                        launch(0, 1, 7, "a;"), launch(0, 2, 8, "b;"), launch(1, 3, 8, "b;"), launch(1, 4, 7, "a;"))))
                .singleElement()
                .asString()
                .contains("in another order");
    }
}
