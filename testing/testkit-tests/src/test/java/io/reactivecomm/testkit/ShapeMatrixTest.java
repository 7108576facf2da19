package io.reactivecomm.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.testkit.collective.CollectiveCase;
import io.reactivecomm.testkit.collective.CollectiveCase.Kind;
import io.reactivecomm.testkit.collective.ShapeMatrix;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ShapeMatrixTest {

    /** The values of a case that are to meet: its kind, what it does to which type, its size, which count, and its place. */
    private static List<Object> values(CollectiveCase each, int size) {
        Object element = each.op() == null ? List.of(each.type()) : List.of(each.type(), each.op());
        Object count = "count " + ShapeMatrix.counts(each.kind(), size).lastIndexOf(each.count());
        return List.of(each.kind(), element, "size " + size, count, "in place " + each.inPlace());
    }

    private static Set<Set<Object>> pairs(ShapeMatrix matrix) {
        Set<Set<Object>> pairs = new HashSet<>();
        for (int size : matrix.sizes()) {
            for (Kind kind : Kind.values()) {
                for (CollectiveCase each : matrix.cases(kind, size)) {
                    List<Object> values = values(each, size);
                    for (Object one : values) {
                        for (Object two : values) {
                            pairs.add(Set.copyOf(List.of(one, two)));
                        }
                    }
                }
            }
        }
        return pairs;
    }

    @Test
    void pairwise_coversEveryPairThatFullHas_withFewCases() {
        Set<Set<Object>> missing = new HashSet<>(pairs(ShapeMatrix.full()));
        missing.removeAll(pairs(ShapeMatrix.pairwise()));

        assertThat(missing).isEmpty();
        assertThat(count(ShapeMatrix.pairwise())).isLessThan(count(ShapeMatrix.full()) / 10);
    }

    private static int count(ShapeMatrix matrix) {
        List<CollectiveCase> cases = new ArrayList<>();
        matrix.sizes().forEach(size -> List.of(Kind.values()).forEach(kind -> cases.addAll(matrix.cases(kind, size))));
        return cases.size();
    }
}
