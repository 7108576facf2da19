package io.reactivecomm.samples.programs.train;

import io.reactivecomm.samples.programs.output.ChartFile;
import java.awt.Color;
import java.nio.file.Path;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** A PNG chart of loss (left axis) and accuracy (right axis) by epoch. */
final class TrainingChart {

    private static final int LOSS_AXIS = 0;
    private static final int ACCURACY_AXIS = 1;
    private static final Color LOSS_COLOR = new Color(0xB4, 0x3A, 0x2F);
    private static final Color TRAIN_COLOR = new Color(0x9A, 0xB8, 0xD6);
    private static final Color TEST_COLOR = new Color(0x1F, 0x5A, 0x96);

    private final XYChart chart;
    private final List<EpochReport> epochs;

    private TrainingChart(String title, List<EpochReport> epochs) {
        this.epochs = epochs;
        this.chart = new XYChartBuilder()
                .width(900)
                .height(520)
                .title(title)
                .xAxisTitle("epoch")
                .build();
    }

    /** Draws the chart and writes it, making the folder if it is missing. {@return a line that says where it is, or why there is none} */
    static String write(String title, List<EpochReport> epochs, Path file) {
        return ChartFile.write(() -> BitmapEncoder.getBufferedImage(draw(title, epochs)), file);
    }

    private static XYChart draw(String title, List<EpochReport> epochs) {
        TrainingChart drawn = new TrainingChart(title, epochs);
        drawn.style();
        drawn.addAllSeries();
        return drawn.chart;
    }

    private void style() {
        chart.setYAxisGroupTitle(LOSS_AXIS, "loss (training images)");
        chart.setYAxisGroupTitle(ACCURACY_AXIS, "accuracy");
        chart.getStyler().setYAxisGroupPosition(ACCURACY_AXIS, Styler.YAxisPosition.Right);
        chart.getStyler().setYAxisMin(LOSS_AXIS, 0.0);
        chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideS);
        chart.getStyler().setLegendLayout(Styler.LegendLayout.Horizontal);
        chart.getStyler().setChartBackgroundColor(Color.WHITE);
        chart.getStyler().setPlotBorderVisible(false);
        chart.getStyler().setYAxisDecimalPattern("0.00");
        chart.getStyler().setXAxisDecimalPattern("0");
    }

    private void addAllSeries() {
        addSeries("loss", LOSS_AXIS, LOSS_COLOR, epoch -> epoch.train().meanLoss());
        addSeries(
                "accuracy, training",
                ACCURACY_AXIS,
                TRAIN_COLOR,
                epoch -> epoch.train().accuracy());
        addSeries(
                "accuracy, test",
                ACCURACY_AXIS,
                TEST_COLOR,
                epoch -> epoch.test().accuracy());
    }

    private void addSeries(String name, int axis, Color color, ToDoubleFunction<EpochReport> value) {
        double[] x = epochs.stream().mapToDouble(EpochReport::epoch).toArray();
        XYSeries series =
                chart.addSeries(name, x, epochs.stream().mapToDouble(value).toArray());
        series.setYAxisGroup(axis);
        series.setLineColor(color);
        series.setMarker(SeriesMarkers.NONE);
    }
}
