package io.reactivecomm.samples.programs.train;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPInputStream;

/**
 * Images of handwritten digits, with the digit that each one shows.
 *
 * @param images {@value #PIXELS} pixels for each image, from 0 to 1, image by image
 * @param labels the digit of each image
 */
public record Digits(float[] images, int[] labels) {

    /** Pixels of an image of 8 × 8. */
    public static final int PIXELS = 64;

    /** The digits from 0 to 9. */
    public static final int CLASSES = 10;

    private static final String RESOURCE = "digits.csv.gz";
    private static final float BRIGHTEST = 16;

    /** Every fifth row is for testing. Not the last fifth: rows come writer by writer, and the last ones are the hardest to read. */
    private static final int TEST_STRIDE = 5;

    /**
     * The two parts of the data set.
     *
     * @param train four rows of five
     * @param test every fifth row, from the first on
     */
    public record Split(Digits train, Digits test) {}

    /** {@return the data set that comes with this program} */
    public static Split load() {
        try (InputStream resource = Digits.class.getResourceAsStream(RESOURCE)) {
            if (resource == null) {
                throw new IllegalStateException(
                        "the data set is not on the class path: resource=" + RESOURCE + "; build the samples again");
            }
            return read(new GZIPInputStream(resource));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the data set: resource=" + RESOURCE, e);
        }
    }

    /** Reads rows of {@value #PIXELS} pixels and a digit, separated by commas. */
    static Split read(InputStream csv) throws IOException {
        List<String> train = new ArrayList<>();
        List<String> test = new ArrayList<>();
        BufferedReader rows = new BufferedReader(new InputStreamReader(csv, StandardCharsets.US_ASCII));
        int index = 0;
        for (String row = rows.readLine(); row != null; row = rows.readLine()) {
            (index % TEST_STRIDE == 0 ? test : train).add(row);
            index++;
        }
        return new Split(parse(train), parse(test));
    }

    private static Digits parse(List<String> rows) {
        Digits digits = new Digits(new float[rows.size() * PIXELS], new int[rows.size()]);
        for (int row = 0; row < rows.size(); row++) {
            digits.parseRow(row, rows.get(row));
        }
        return digits;
    }

    private void parseRow(int index, String row) {
        String[] cells = row.split(",");
        if (cells.length != PIXELS + 1) {
            throw new IllegalArgumentException("cannot read a row of digits: cells=" + cells.length + ", expected="
                    + (PIXELS + 1) + "; row: " + row);
        }
        for (int pixel = 0; pixel < PIXELS; pixel++) {
            images[index * PIXELS + pixel] = Integer.parseInt(cells[pixel]) / BRIGHTEST;
        }
        labels[index] = Integer.parseInt(cells[PIXELS]);
    }

    /** {@return the number of images} */
    public int count() {
        return labels.length;
    }

    /** {@return the images at those places, in that order} */
    public Digits pick(int[] places) {
        Digits picked = new Digits(new float[places.length * PIXELS], new int[places.length]);
        for (int i = 0; i < places.length; i++) {
            System.arraycopy(images, places[i] * PIXELS, picked.images, i * PIXELS, PIXELS);
            picked.labels[i] = labels[places[i]];
        }
        return picked;
    }

    /** {@return the images of a share, in their order} */
    Digits range(Share share) {
        return new Digits(
                Arrays.copyOfRange(images, share.from() * PIXELS, share.to() * PIXELS),
                Arrays.copyOfRange(labels, share.from(), share.to()));
    }
}
