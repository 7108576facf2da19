package io.reactivecomm.samples.programs.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DigitsTest {

    private static Digits.Split read(String csv) throws IOException {
        return Digits.read(new ByteArrayInputStream(csv.getBytes(StandardCharsets.US_ASCII)));
    }

    private static String row(int pixel, int label) {
        return (pixel + ",").repeat(Digits.PIXELS) + label + "\n";
    }

    @Test
    void load_wholeDataSet_has1797ImagesOneFifthForTesting() {
        Digits.Split data = Digits.load();
        assertThat(data.train().count()).isEqualTo(1437);
        assertThat(data.test().count()).isEqualTo(360);
        for (Digits part : new Digits[] {data.train(), data.test()}) {
            assertThat(part.images()).hasSize(part.count() * Digits.PIXELS);
            assertThat(IntStream.of(part.labels()).distinct().sorted().toArray())
                    .containsExactly(IntStream.range(0, 10).toArray());
            for (float pixel : part.images()) {
                assertThat(pixel).isBetween(0f, 1f);
            }
        }
    }

    @Test
    void load_firstRows_areTheDigitsFromZeroOn() {
        Digits.Split data = Digits.load();
        assertThat(data.test().labels()).startsWith(0, 5);
        assertThat(data.train().labels()).startsWith(1, 2, 3, 4, 6);
        assertThat(data.test().images()).startsWith(0, 0, 5 / 16f, 13 / 16f, 9 / 16f, 1 / 16f);
    }

    @Test
    void read_everyFifthRow_isForTesting() throws IOException {
        Digits.Split data = read(row(0, 0) + row(4, 1) + row(8, 2) + row(12, 3) + row(16, 4) + row(2, 5) + row(6, 6));
        assertThat(data.test().labels()).containsExactly(0, 5);
        assertThat(data.train().labels()).containsExactly(1, 2, 3, 4, 6);
        assertThat(data.train().images()[2 * Digits.PIXELS]).isEqualTo(0.75f);
    }

    @Test
    void read_shortRow_isRefused() {
        assertThatThrownBy(() -> read("1,2,3\n"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cells=3, expected=65");
    }

    @Test
    void pick_places_takesThemInOrder() {
        Digits train = Digits.load().train();
        Digits picked = train.pick(new int[] {7, 2});
        assertThat(picked.labels()).containsExactly(train.labels()[7], train.labels()[2]);
        assertThat(picked.range(new Share(1, 2)).images())
                .containsExactly(train.range(new Share(2, 3)).images());
    }
}
