package io.reactivecomm.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.testkit.CollectiveCase.Kind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MatrixTest {

    /** The values of a case that are to meet: its kind, what it does to which type, its size, which count, and its place. */
    private static List<Object> values(CollectiveCase each, int size) {
        Object element = each.op() == null ? List.of(each.type()) : List.of(each.type(), each.op());
        Object count = "count " + Matrix.counts(each.kind(), size).lastIndexOf(each.count());
        return List.of(each.kind(), element, "size " + size, count, "in place " + each.inPlace());
    }

    private static Set<Set<Object>> pairs(Matrix matrix) {
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
        Set<Set<Object>> missing = new HashSet<>(pairs(Matrix.full()));
        missing.removeAll(pairs(Matrix.pairwise()));

        assertThat(missing).isEmpty();
        assertThat(count(Matrix.pairwise())).isLessThan(count(Matrix.full()) / 10);
    }

    private static int count(Matrix matrix) {
        List<CollectiveCase> cases = new ArrayList<>();
        matrix.sizes().forEach(size -> List.of(Kind.values()).forEach(kind -> cases.addAll(matrix.cases(kind, size))));
        return cases.size();
    }
}
