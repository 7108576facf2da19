package io.reactivecomm.samples.programs.train;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.image.BufferedImage;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrainingChartTest {

    @Test
    void write_threeEpochs_makesThePng(@TempDir Path folder) throws Exception {
        List<EpochReport> epochs = List.of(report(1, 2.1, 40), report(2, 0.8, 80), report(3, 0.3, 97));
        Path file = folder.resolve("new/chart.png");
        TrainingChart.write("Digits", epochs, file);
        BufferedImage image = ImageIO.read(file.toFile());
        assertThat(image.getWidth()).isEqualTo(900);
        assertThat(image.getRGB(2, 2)).isEqualTo(0xFFFFFFFF);
    }

    private static EpochReport report(int epoch, double loss, long correct) {
        Score score = new Score(loss * 100, correct, 100);
        return new EpochReport(epoch, score, score, Duration.ofMillis(10), Duration.ofMillis(2), 0);
    }
}
