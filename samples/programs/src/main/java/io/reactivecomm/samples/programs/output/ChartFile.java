package io.reactivecomm.samples.programs.output;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import javax.imageio.ImageIO;

/** A chart as a PNG file. */
public final class ChartFile {

    private ChartFile() {}

    /**
     * Draws a chart and writes it to the file that the user chose with {@code --chart}, making its folder if it is missing.
     *
     * @return a line that says where it is; or that there is none, and why: on a machine without fonts all else that a program has found out is not lost for that
     */
    public static String write(Supplier<BufferedImage> drawing, Path file) {
        BufferedImage chart;
        try {
            chart = drawing.get();
        } catch (RuntimeException | InternalError | LinkageError e) {
            return "no chart: it cannot be drawn on this machine: cause=" + e
                    + "; install fontconfig and a font, such as DejaVu";
        }
        write(chart, file);
        return "chart " + file;
    }

    private static void write(BufferedImage chart, Path file) {
        try {
            OutputFile.makeFolder(file);
            // Not ImageIO.write to a File: it deletes what is there first, be it an empty folder.
            try (OutputStream png = Files.newOutputStream(file)) {
                ImageIO.write(chart, "png", png);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the chart: file=" + file + "; choose another with --chart", e);
        }
    }
}
