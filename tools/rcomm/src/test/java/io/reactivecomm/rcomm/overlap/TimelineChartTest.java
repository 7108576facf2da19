package io.reactivecomm.rcomm.overlap;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.rcomm.latency.LinkShape;
import java.awt.image.BufferedImage;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TimelineChartTest {

    @Test
    void write_twoRuns_drawsEachActivity(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("new/chart.png");

        TimelineChart.write(
                List.of(
                        Example.run(Variant.REDUCE_AFTER_BACKWARD, 0, 7),
                        Example.run(Variant.BUCKETS_OVERLAPPED, 900, 7)),
                file);

        BufferedImage image = ImageIO.read(file.toFile());
        assertThat(image.getWidth()).isEqualTo(1400);
        assertThat(image.getRGB(2, 2)).isEqualTo(0xFFFFFFFF);
        int[] colors = IntStream.range(0, image.getHeight())
                .flatMap(y -> IntStream.range(0, image.getWidth()).map(x -> image.getRGB(x, y)))
                .distinct()
                .toArray();
        assertThat(colors).contains(0xFF9AB8D6, 0xFF1F5A96, 0xFF5C9E6B, 0xFFF2B8B0, 0xFFB43A2F);
    }

    private static OverlapRun large(int ranks, int buckets, int steps) {
        List<TimeSpan> reductions = IntStream.range(0, buckets)
                .mapToObj(i -> Example.span("bucket " + i, i, i + 5))
                .toList();
        StepTimes step = new StepTimes(Example.span("step", 0, buckets + 5L), 1_000_000, List.of(), reductions);
        RankRun rank = new RankRun(7, Collections.nCopies(steps, step));
        return new OverlapRun(
                "pigeons",
                LinkShape.NONE,
                Contents.PLAIN,
                Variant.BUCKETS_OVERLAPPED,
                Collections.nCopies(ranks, rank));
    }

    @Test
    void draw_manyRanksBucketsAndSteps_isBoundedInSize() {
        int bounded = TimelineChart.draw(List.of(large(8, 16, 2))).getHeight();

        assertThat(TimelineChart.draw(List.of(large(200, 5000, 40))).getHeight())
                .isEqualTo(bounded)
                .isLessThan(2000);
    }

    @Test
    void legend_inACountryWithCommas_hasAPoint() {
        Locale before = Locale.getDefault();
        Locale.setDefault(Locale.GERMANY);
        try {
            assertThat(TimelineChart.legend(1.25e6)).isEqualTo("1.3 ms from left to right");
        } finally {
            Locale.setDefault(before);
        }
    }
}
