package io.reactivecomm.samples.programs.train;

import io.reactivecomm.samples.programs.output.ChartFile;
import java.awt.BasicStroke;
import java.awt.Color;
import java.nio.file.Path;
import java.util.List;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.XYStyler;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** A PNG chart of training loss by the bytes that a rank has sent, both logarithmic: a line for each training, dashed where nothing is fed back. */
final class LossByBytesChart {

    private static final double BYTES_PER_MB = 1e6;

    /** A logarithmic axis has no place for what is less: one rank alone sends nothing. */
    private static final long LEAST_BYTES = 1;

    private static final double LEAST_LOSS = 1e-6;

    /** A training that goes astray is drawn at the edge. */
    private static final double MOST_LOSS = 10;

    private static final BasicStroke LINE = new BasicStroke(2);

    private static final BasicStroke DASHES =
            new BasicStroke(2, BasicStroke.CAP_BUTT, BasicStroke.JOIN_BEVEL, 1, new float[] {6, 4}, 0);

    /** Told apart by people who see few colours, too: Okabe and Ito's. */
    private static final List<Color> COLORS = List.of(
            Color.BLACK,
            new Color(0xE69F00),
            new Color(0x56B4E9),
            new Color(0x009E73),
            new Color(0xD55E00),
            new Color(0x0072B2),
            new Color(0xCC79A7),
            new Color(0x8A8A00));

    private LossByBytesChart() {}

    /** Draws the chart and writes it, making the folder if it is missing. {@return a line that says where it is, or why there is none} */
    static String write(String title, List<ComparedRun> runs, Path file) {
        return ChartFile.write(() -> BitmapEncoder.getBufferedImage(draw(title, runs)), file);
    }

    private static XYChart draw(String title, List<ComparedRun> runs) {
        XYChart chart = new XYChartBuilder()
                .width(1000)
                .height(600)
                .title(title)
                .xAxisTitle("MB sent by a rank")
                .yAxisTitle("loss (training images)")
                .build();
        style(chart.getStyler());
        List<String> methods = runs.stream().map(ComparedRun::method).distinct().toList();
        for (ComparedRun run : runs) {
            add(chart, run, COLORS.get(methods.indexOf(run.method()) % COLORS.size()));
        }
        return chart;
    }

    private static void style(XYStyler styler) {
        styler.setXAxisLogarithmic(true);
        styler.setYAxisLogarithmic(true);
        styler.setLegendPosition(Styler.LegendPosition.OutsideE);
        styler.setChartBackgroundColor(Color.WHITE);
        styler.setPlotBorderVisible(false);
    }

    private static void add(XYChart chart, ComparedRun run, Color color) {
        double[] megabytes = run.curve().stream()
                .mapToDouble(point -> Math.max(LEAST_BYTES, point.sentBytes()) / BYTES_PER_MB)
                .toArray();
        double[] losses =
                run.curve().stream().mapToDouble(point -> shown(point.loss())).toArray();
        XYSeries series = chart.addSeries(run.label(), megabytes, losses);
        series.setLineColor(color);
        series.setLineStyle(run.feedsBack() ? LINE : DASHES);
        series.setMarker(SeriesMarkers.NONE);
    }

    private static double shown(double loss) {
        return Double.isNaN(loss) ? MOST_LOSS : Math.clamp(loss, LEAST_LOSS, MOST_LOSS);
    }
}
