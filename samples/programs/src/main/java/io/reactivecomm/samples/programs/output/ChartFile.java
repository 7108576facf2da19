package io.reactivecomm.samples.programs.output;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.imageio.ImageIO;

/** A chart as a PNG file. */
public final class ChartFile {

    private ChartFile() {}

    /** Writes the chart to the file that the user chose with {@code --chart}, making its folder if it is missing. */
    public static void write(BufferedImage chart, Path file) {
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
