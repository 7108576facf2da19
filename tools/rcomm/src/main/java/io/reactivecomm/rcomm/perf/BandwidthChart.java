package io.reactivecomm.rcomm.perf;

import io.reactivecomm.samples.programs.output.ChartFile;
import java.awt.BasicStroke;
import java.awt.Color;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.lines.SeriesLines;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** A PNG chart of bus bandwidth by size: a line for each way to run ours, and a dashed one for each peer. */
final class BandwidthChart {

    static final int WIDTH = 1000;
    static final int HEIGHT = 600;

    private static final List<String> UNITS = List.of("B", "kB", "MB", "GB");

    private static final float OURS_WIDTH = 2.5f;
    private static final int MARKER = 7;

    /** Blue for TCP, green for shared memory, violet for one JVM, the darker for shared buffers; then peers. */
    private static final Map<String, Color> OURS = Map.of(
            "tcp private", new Color(0x5B, 0x93, 0xCF),
            "tcp shared", new Color(0x1F, 0x5A, 0x96),
            "shm private", new Color(0x6F, 0xB5, 0x7F),
            "shm shared", new Color(0x2C, 0x76, 0x41),
            "local private", new Color(0xA9, 0x83, 0xC9),
            "local shared", new Color(0x66, 0x3A, 0x8C));

    private static final List<Color> PEERS = List.of(
            new Color(0xB4, 0x3A, 0x2F),
            new Color(0xE0, 0x8A, 0x1E),
            new Color(0x8C, 0x6D, 0x46),
            new Color(0x55, 0x55, 0x55),
            new Color(0xD0, 0x5C, 0x9A),
            new Color(0x2A, 0x9D, 0xA5),
            new Color(0x9A, 0x9A, 0x2F));

    private final XYChart chart;
    private int peers;

    private BandwidthChart(PerfOp op, int ranks) {
        this.chart = new XYChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title(op + ", " + ranks + " ranks")
                .xAxisTitle("size")
                .yAxisTitle("bus bandwidth, GB/s")
                .build();
        chart.getStyler().setXAxisLogarithmic(true);
        chart.getStyler().setXAxisTickLabelsFormattingFunction(BandwidthChart::size);
        chart.getStyler().setYAxisMin(0.0);
        chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideE);
        chart.getStyler().setChartBackgroundColor(Color.WHITE);
        chart.getStyler().setPlotBorderVisible(false);
        chart.getStyler().setMarkerSize(MARKER);
        chart.getStyler().setYAxisDecimalPattern("0.0#");
    }

    /** Draws the chart and writes it, making the folder if it is missing. {@return a line that says where it is, or why there is none} */
    static String write(List<Standing> standings, PerfOp op, Path file) {
        return ChartFile.write(() -> BitmapEncoder.getBufferedImage(draw(standings, op)), file);
    }

    /** {@return the chart; sizes of no bytes have no place on its axis} */
    static XYChart draw(List<Standing> standings, PerfOp op) {
        int ranks = standings.stream()
                .flatMap(standing -> standing.rows().stream())
                .mapToInt(PerfRow::ranks)
                .max()
                .orElse(0);
        BandwidthChart chart = new BandwidthChart(op, ranks);
        standings.forEach(chart::add);
        chart.leaveRoom();
        return chart.chart;
    }

    /** {@return a size as it stands at the axis, whose marks are powers of ten} */
    static String size(double bytes) {
        int power = bytes < 1 ? 0 : Math.min(UNITS.size() - 1, (int) Math.floor(Math.log10(bytes) / 3 + 1e-9));
        return String.format(Locale.ROOT, "%.0f %s", bytes / Math.pow(1000, power), UNITS.get(power));
    }

    private void add(Standing standing) {
        lines(standing).forEach((name, rows) -> {
            XYSeries series = chart.addSeries(
                    name,
                    rows.stream().mapToDouble(PerfRow::bytes).toArray(),
                    rows.stream().mapToDouble(PerfRow::busbwGBps).toArray());
            series.setMarker(SeriesMarkers.CIRCLE);
            Color color = standing.isOurs() ? OURS.getOrDefault(name, Color.BLACK) : PEERS.get(peers++ % PEERS.size());
            series.setLineColor(color);
            series.setMarkerColor(color);
            series.setLineStyle(standing.isOurs() ? new BasicStroke(OURS_WIDTH) : SeriesLines.DASH_DASH);
        });
    }

    /** {@return a line's rows by its name: peers have one for each way in which they make the calls of a list} */
    private static Map<String, List<PerfRow>> lines(Standing standing) {
        String label = standing.entrant().label();
        return standing.rows().stream()
                .filter(row -> row.bytes() > 0)
                .sorted(Comparator.comparingLong(PerfRow::bytes))
                .collect(Collectors.groupingBy(
                        row -> standing.isOurs() || row.algorithm().equals("call")
                                ? label
                                : label + " " + row.algorithm(),
                        LinkedHashMap::new,
                        Collectors.toList()));
    }

    /** A logarithmic axis from a size to itself has no length: a decade around it has. */
    private void leaveRoom() {
        List<Double> sizes = new ArrayList<>();
        for (XYSeries series : chart.getSeriesCollection()) {
            for (double size : series.getXData()) {
                sizes.add(size);
            }
        }
        if (sizes.stream().distinct().count() == 1) {
            chart.getStyler().setXAxisMin(sizes.getFirst() / 10).setXAxisMax(sizes.getFirst() * 10);
        }
    }
}
