package io.reactivecomm.compression.internal.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ReactiveComm;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

class StepAgreementTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final Pattern HASH = Pattern.compile("hash [0-9a-f]+");

    /** As those of plans of many matrices are. */
    private static final String LONG = "é".repeat(10_000);

    private static StateShape shape(String label, long count) {
        return new StateShape(label, DType.FLOAT32, count, 2, 0, List.of());
    }

    /** {@return what all ranks are told} */
    private static List<String> disagreement(StateShape... shapes) {
        try (LocalWorld world = ReactiveComm.local(shapes.length)) {
            List<Throwable> errors = Objects.requireNonNull(Flux.fromIterable(world.groups())
                    .flatMapSequential(group -> StepAgreement.on(
                                    "x",
                                    new NamedState(shapes[group.rank()], StateHome.HOST, true, 0, new double[0]),
                                    group)
                            .<Throwable>then(Mono.empty())
                            .onErrorResume(Mono::just))
                    .collectList()
                    .block(LIMIT));
            assertThat(errors)
                    .hasSize(shapes.length)
                    .allSatisfy(each -> assertThat(each).isInstanceOf(MismatchException.class));
            return errors.stream().map(Throwable::getMessage).toList();
        }
    }

    @Test
    void labelsThatDiffer_areTold() {
        assertThat(disagreement(shape("one", 60), shape("other", 60)))
                .allSatisfy(each -> assertThat(each)
                        .contains("FLOAT32 × 60 by one", "FLOAT32 × 60 by other")
                        .doesNotContain("hash"));
    }

    @Test
    void countsBesideLongLabels_areTold() {
        assertThat(disagreement(shape(LONG, 60), shape(LONG, 61)))
                .allSatisfy(each -> assertThat(each).contains("FLOAT32 × 60", "FLOAT32 × 61"));
    }

    @Test
    void longLabelsThatDifferAtTheirEnds_haveOtherHashes() {
        assertThat(disagreement(shape(LONG + "a", 60), shape(LONG + "b", 60)))
                .allSatisfy(each -> assertThat(HASH.matcher(each)
                                .results()
                                .map(found -> found.group())
                                .distinct())
                        .hasSize(2));
    }
}
