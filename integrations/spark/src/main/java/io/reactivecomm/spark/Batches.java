package io.reactivecomm.spark;

import io.reactivecomm.Tensor;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import org.apache.spark.sql.Row;
import org.jspecify.annotations.Nullable;
import scala.jdk.javaapi.CollectionConverters;

/**
 * FLOAT32 tensors made of the rows of a partition, one batch of rows at a time, so that the partition itself is never in memory.
 *
 * <pre>{@code
 * Iterator<Tensor> batches = Batches.of(partition, List.of("height", "weight", "label"), 256);
 * }</pre>
 *
 * <p><b>Shapes.</b> A batch is {@code [rows, width]}. The last batch may have fewer rows. A column of numbers or booleans is one wide; a column of arrays is as wide as
 * its array in the first row, which all rows must match. MLlib's vectors become arrays by {@code vector_to_array}.
 *
 * <p><b>Buffers.</b> Each batch is a new tensor, which the caller closes.
 *
 * <p><b>Threads.</b> One at a time.
 */
public final class Batches implements Iterator<Tensor> {

    /** Rows */
    private static final int FIRST_ROOM = 256;

    private final Iterator<Row> rows;
    private final List<String> columns;
    private final int size;
    private int[] indices = {};
    /** The values of the batch that is being made. It grows up to {@link #size} rows, so a size above the number of rows costs nothing. */
    private float[] values = {};

    private int[] widths = {};
    private int width;
    private long rowsRead;

    private Batches(Iterator<Row> rows, List<String> columns, int size) {
        this.rows = rows;
        this.columns = List.copyOf(columns);
        this.size = size;
    }

    /**
     * {@return the batches of these rows}
     *
     * @param rows rows with a schema, as a {@code Dataset<Row>} has them
     * @param columns the names of the columns, in the order in which the tensor has them
     * @param size the number of rows of a batch
     */
    public static Batches of(Iterator<Row> rows, List<String> columns, int size) {
        Objects.requireNonNull(rows, "rows");
        Objects.requireNonNull(columns, "columns");
        if (columns.isEmpty() || size < 1) {
            throw new IllegalArgumentException("a batch has rows and columns: columns=" + columns + ", size=" + size
                    + "; name a column, and give a positive size");
        }
        return new Batches(rows, columns, size);
    }

    @Override
    public boolean hasNext() {
        return rows.hasNext();
    }

    /**
     * {@return the next batch}
     *
     * @throws IllegalArgumentException if a value is null, is no number, or is an array of another length than the first row's
     * @throws NoSuchElementException if no row is left
     */
    @Override
    public Tensor next() {
        if (!rows.hasNext()) {
            throw new NoSuchElementException("no row is left: rows=" + rowsRead);
        }
        int count = 0;
        while (count < size && rows.hasNext()) {
            Row row = rows.next();
            if (rowsRead == 0) {
                begin(row);
            }
            makeRoom(count);
            fill(row, count++ * width);
            rowsRead++;
        }
        return Tensor.of(count * width == values.length ? values : Arrays.copyOf(values, count * width), count, width);
    }

    private void begin(Row first) {
        indices = columns.stream().mapToInt(first::fieldIndex).toArray();
        widths = Arrays.stream(indices)
                .map(index -> first.get(index) instanceof scala.collection.Seq<?> array ? array.length() : 1)
                .toArray();
        width = Arrays.stream(widths).sum();
    }

    private void makeRoom(int rowsBefore) {
        if (values.length - rowsBefore * width < width) {
            int room = (int) Math.min(size, Math.max(FIRST_ROOM, 2L * rowsBefore));
            values = Arrays.copyOf(values, Math.multiplyExact(room, width));
        }
    }

    private void fill(Row row, int start) {
        int position = start;
        for (int i = 0; i < indices.length; i++) {
            Object value = row.get(indices[i]);
            if (value instanceof scala.collection.Seq<?> array) {
                requireWidth(i, array.length());
                for (Object element : CollectionConverters.asJava(array)) {
                    values[position++] = number(i, element);
                }
            } else {
                requireWidth(i, 1);
                values[position++] = number(i, value);
            }
        }
    }

    private void requireWidth(int column, int found) {
        if (found != widths[column]) {
            throw new IllegalArgumentException("an array has another length than in the first row: column="
                    + columns.get(column) + ", row=" + rowsRead + ", length=" + found + ", first=" + widths[column]
                    + "; pad or cut the arrays before");
        }
    }

    private float number(int column, @Nullable Object value) {
        return switch (value) {
            case Number number -> number.floatValue();
            case Boolean flag -> flag ? 1 : 0;
            case null, default ->
                throw new IllegalArgumentException("a value is no number: column=" + columns.get(column) + ", row="
                        + rowsRead + ", type="
                        + (value == null ? "null" : value.getClass().getName())
                        + "; fill nulls, cast the column, or make arrays of vectors by vector_to_array before");
        };
    }
}
