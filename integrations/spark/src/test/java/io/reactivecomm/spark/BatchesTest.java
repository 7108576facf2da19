package io.reactivecomm.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.stream.IntStream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.catalyst.expressions.GenericRowWithSchema;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import scala.jdk.javaapi.CollectionConverters;

class BatchesTest {

    private static final StructType SCHEMA = new StructType()
            .add("id", DataTypes.LongType)
            .add("name", DataTypes.StringType)
            .add("weights", DataTypes.createArrayType(DataTypes.DoubleType))
            .add("isNew", DataTypes.BooleanType);

    private static Row row(@Nullable Object... values) {
        return new GenericRowWithSchema(values, SCHEMA);
    }

    private static Object array(Double... values) {
        return CollectionConverters.asScala(Arrays.asList(values)).toSeq();
    }

    private static Row numbered(int id) {
        return row((long) id, "row " + id, array(id / 2.0, id / 4.0), id % 2 == 0);
    }

    private static Batches batches(int count, int size) {
        return Batches.of(
                IntStream.range(0, count).mapToObj(BatchesTest::numbered).iterator(),
                List.of("isNew", "weights", "id"),
                size);
    }

    @Test
    void rows_becomeBatches_theLastOfWhichIsShorter() {
        List<float[]> values = new ArrayList<>();
        List<long[]> shapes = new ArrayList<>();
        batches(5, 2).forEachRemaining(batch -> {
            try (batch) {
                values.add(batch.toFloatArray());
                shapes.add(batch.shape());
            }
        });

        assertThat(shapes).containsExactly(new long[] {2, 4}, new long[] {2, 4}, new long[] {1, 4});
        assertThat(values)
                .containsExactly(
                        new float[] {1, 0, 0, 0, 0, 0.5f, 0.25f, 1},
                        new float[] {1, 1, 0.5f, 2, 0, 1.5f, 0.75f, 3},
                        new float[] {1, 2, 1, 4});
    }

    /** The largest batch would not fit in any array. */
    @Test
    void sizeAboveTheNumberOfRows_takesNoMoreMemory() {
        for (int count : new int[] {1, 256, 257, 1000}) {
            Batches batches = batches(count, Integer.MAX_VALUE);
            try (Tensor only = batches.next()) {
                assertThat(only.shape()).containsExactly(count, 4);
                assertThat(only.toFloatArray()[4 * count - 1]).as("the last id").isEqualTo(count - 1);
            }
            assertThat(batches.hasNext()).isFalse();
        }
    }

    @Test
    void valuesThatAreNotFinite_areKept() {
        Row row = row(1L, "", array(Double.NaN, Double.NEGATIVE_INFINITY, 1e300), true);
        try (Tensor batch =
                Batches.of(List.of(row).iterator(), List.of("weights"), 4).next()) {
            assertThat(batch.toFloatArray())
                    .containsExactly(Float.NaN, Float.NEGATIVE_INFINITY, Float.POSITIVE_INFINITY);
        }
    }

    /** As many rows are read as a batch has, although the iterator has no end. */
    @Test
    void rows_areReadOneBatchAtATime() {
        int[] read = {0};
        Iterator<Row> endless = new Iterator<>() {
            @Override
            public boolean hasNext() {
                return true;
            }

            @Override
            public Row next() {
                return numbered(read[0]++);
            }
        };
        try (Tensor first = Batches.of(endless, List.of("id"), 3).next()) {
            assertThat(first.toFloatArray()).containsExactly(0, 1, 2);
        }
        assertThat(read[0]).isEqualTo(3);
    }

    @Test
    void noRows_areNoBatches() {
        assertThat(batches(0, 4).hasNext()).isFalse();
        assertThatThrownBy(() -> batches(0, 4).next()).isInstanceOf(NoSuchElementException.class);
    }

    @Test
    void valuesThatAreNoNumbers_areNamed() {
        List<Row> rows = List.of(numbered(0), row(null, "one", array(1.0), true));
        assertThatThrownBy(() -> Batches.of(rows.iterator(), List.of("name"), 2).next())
                .hasMessageContainingAll("column=name", "row=0", "type=java.lang.String");
        assertThatThrownBy(() -> Batches.of(rows.iterator(), List.of("id"), 2).next())
                .hasMessageContainingAll("column=id", "row=1", "type=null");
        assertThatThrownBy(
                        () -> Batches.of(rows.iterator(), List.of("weights"), 2).next())
                .hasMessageContainingAll("column=weights", "row=1", "length=1", "first=2");
        assertThatThrownBy(
                        () -> Batches.of(rows.iterator(), List.of("height"), 2).next())
                .isInstanceOf(RuntimeException.class)
                .hasMessageContaining("height");
        assertThatThrownBy(() -> Batches.of(List.of(RowFactory.create(1)).iterator(), List.of("id"), 2)
                        .next())
                .as("rows without a schema")
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void batchesOfNothing_areRefused() {
        assertThatThrownBy(() -> Batches.of(List.<Row>of().iterator(), List.of(), 2))
                .hasMessageContaining("columns=[]");
        assertThatThrownBy(() -> Batches.of(List.<Row>of().iterator(), List.of("id"), 0))
                .hasMessageContaining("size=0");
    }
}
