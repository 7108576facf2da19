package io.reactivecomm.rcomm.perf;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.rcomm.peers.Congestion;
import io.reactivecomm.rcomm.peers.PeerKind;
import io.reactivecomm.samples.programs.world.Transport;
import java.awt.image.BufferedImage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;

class BandwidthChartTest {

    private static final List<Standing> STANDINGS = List.of(
            Rows.ours(Transport.SHM, Buffers.SHARED, Rows.row(1 << 20, "shm", "x", 2), Rows.row(64, "shm", "x", 1)),
            Rows.ours(Transport.TCP, Buffers.PRIVATE, Rows.row(0, "tcp", "x", 2), Rows.row(64, "tcp", "x", 2)),
            Rows.theirs(PeerKind.GLOO, Congestion.RENO, Rows.row(64, "gloo-reno", "call", 50)),
            Rows.theirs(
                    PeerKind.OPENMPI_SM,
                    Congestion.STOCK,
                    Rows.row(64, "openmpi-sm", "in-flight", 4),
                    Rows.row(64, "openmpi-sm", "in-turn", 3)));

    @Test
    void draw_standings_hasALineForEachWithItsName() {
        XYChart chart = BandwidthChart.draw(STANDINGS, PerfOp.ALL_REDUCE);
        assertThat(chart.getTitle()).isEqualTo("all-reduce, 2 ranks");
        assertThat(chart.getSeriesCollection())
                .extracting(XYSeries::getName)
                .containsExactly(
                        "shm shared", "tcp private", "gloo-reno", "openmpi-sm in-flight", "openmpi-sm in-turn");
        assertThat(chart.getSeriesCollection())
                .extracting(series -> series.getLineStyle().getDashArray() != null)
                .containsExactly(false, false, true, true, true);
        assertThat(chart.getStyler().isXAxisLogarithmic()).isTrue();
    }

    @Test
    void size_powersOfTen_haveUnits() {
        assertThat(Stream.of(1.0, 10.0, 999.0, 1e3, 1e5, 1e6, 1e9, 1e12).map(BandwidthChart::size))
                .containsExactly("1 B", "10 B", "999 B", "1 kB", "100 kB", "1 MB", "1 GB", "1000 GB");
    }

    @Test
    void draw_sizes_ascendFromTheFirstThatHasBytes() {
        XYChart chart = BandwidthChart.draw(STANDINGS, PerfOp.ALL_REDUCE);
        assertThat(chart.getSeries("shm shared").getXData()).containsExactly(64, 1 << 20);
        assertThat(chart.getSeries("tcp private").getXData()).containsExactly(64);
    }

    @Test
    void write_chart_isAPngOfItsSizeWithLinesOnIt(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("new/chart.png");
        BandwidthChart.write(STANDINGS, PerfOp.ALL_REDUCE, file);
        assertThat(Files.readAllBytes(file)).startsWith(0x89, 'P', 'N', 'G');
        BufferedImage image = ImageIO.read(file.toFile());
        assertThat(image.getWidth()).isEqualTo(BandwidthChart.WIDTH);
        assertThat(image.getHeight()).isEqualTo(BandwidthChart.HEIGHT);
        assertThat(colors(image)).contains(0xFF2C7641, 0xFF5B93CF, 0xFFB43A2F);
    }

    @Test
    void write_oneSizeOnly_isDrawnTooAndSoIsNothing(@TempDir Path folder) {
        Path file = folder.resolve("chart.png");
        BandwidthChart.write(
                List.of(Rows.ours(Transport.TCP, Buffers.SHARED, Rows.row(6048, "tcp", "x", 2))), PerfOp.LIST, file);
        assertThat(file).isNotEmptyFile();
        BandwidthChart.write(List.of(), PerfOp.LIST, folder.resolve("empty.png"));
        assertThat(folder.resolve("empty.png")).isNotEmptyFile();
    }

    private static List<Integer> colors(BufferedImage image) {
        return Arrays.stream(image.getRGB(0, 0, image.getWidth(), image.getHeight(), null, 0, image.getWidth()))
                .distinct()
                .boxed()
                .toList();
    }
}
