package io.reactivecomm.internal.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ByPriorityTest {

    private record Item(int number, int priority) {}

    @ParameterizedTest(name = "seed={0}")
    @ValueSource(longs = {1, 2, 3, 4})
    void items_leaveByPriority_andInTheirOrderAmongEquals(long seed) {
        Random random = new Random(seed);
        ByPriority<Item> waiting = new ByPriority<>();
        List<Item> expected = new ArrayList<>();
        for (int i = 0; i < 3_000; i++) {
            switch (random.nextInt(8)) {
                case 0, 1, 2, 3 -> {
                    Item item = new Item(i, random.nextInt(3) * (random.nextInt(3) - 1));
                    waiting.add(item, item.priority);
                    expected.add(item);
                    expected.sort(
                            Comparator.comparing(Item::priority).reversed().thenComparing(Item::number));
                }
                case 4 -> {
                    int part = random.nextInt(7);
                    waiting.removeIf(item -> item.number % 7 == part);
                    expected.removeIf(item -> item.number % 7 == part);
                }
                default -> {
                    if (!expected.isEmpty()) {
                        assertThat(waiting.element()).isEqualTo(expected.getFirst());
                        assertThat(waiting.remove()).isEqualTo(expected.removeFirst());
                    }
                }
            }
            assertThat(waiting.isEmpty()).isEqualTo(expected.isEmpty());
        }
        List<Item> left = new ArrayList<>();
        waiting.forEach(left::add);
        assertThat(left).containsExactlyInAnyOrderElementsOf(expected);
        waiting.clear();
        assertThat(waiting.isEmpty()).isTrue();
    }
}
