package io.reactivecomm.samples.pytorch;

import io.reactivecomm.samples.programs.output.ChartFile;
import java.awt.Color;
import java.nio.file.Path;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler.YAxisPosition;

/** A PNG chart of loss (left axis) and accuracy (right axis) by epoch. */
final class LearningCurve {

    private LearningCurve() {}

    /** Draws the chart and writes it. {@return a line that says where it is, or why it was not drawn} */
    static String write(String title, List<Epoch> epochs, Path file) {
        return ChartFile.write(() -> BitmapEncoder.getBufferedImage(chart(title, epochs)), file);
    }

    private static XYChart chart(String title, List<Epoch> epochs) {
        XYChart chart = new XYChartBuilder()
                .width(900)
                .height(520)
                .title(title)
                .xAxisTitle("epoch")
                .build();
        chart.setYAxisGroupTitle(0, "loss");
        chart.setYAxisGroupTitle(1, "accuracy");
        chart.getStyler().setYAxisGroupPosition(1, YAxisPosition.Right);
        chart.getStyler().setYAxisMin(0, 0.0);
        chart.getStyler().setChartBackgroundColor(Color.WHITE);
        chart.getStyler().setXAxisDecimalPattern("0");
        add(chart, "loss", 0, epochs, Epoch::loss);
        add(chart, "accuracy on test images", 1, epochs, Epoch::accuracy);
        return chart;
    }

    private static void add(XYChart chart, String name, int axis, List<Epoch> epochs, ToDoubleFunction<Epoch> value) {
        double[] numbers = epochs.stream().mapToDouble(Epoch::number).toArray();
        chart.addSeries(name, numbers, epochs.stream().mapToDouble(value).toArray())
                .setYAxisGroup(axis);
    }
}
