package io.reactivecomm.rcomm.compressed;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.samples.programs.codec.CodecChoice;
import io.reactivecomm.samples.programs.codec.CodecSettings;
import io.reactivecomm.samples.programs.codec.NamedReduction;
import io.reactivecomm.testkit.LocalWorldRuns;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** All steps of an error feedback together, of codecs that feed back. */
@Timeout(60)
class FeedbackCheckTest {

    private static final int STEPS = 12;

    /** Neither whole bytes nor equal parts, and more than a strip. */
    private static final int COUNT = 4500;

    /** {@return how many elements are wrong if one of one step's result was changed by so much} */
    private static long wrong(ProcessGroup group, CodecChoice codec, CodecSettings settings, float change) {
        CompressionInputs inputs = CompressionInputs.of(codec, group.size(), COUNT);
        try (NamedReduction.Encoded reduction = (NamedReduction.Encoded) codec.begin(settings);
                FeedbackCheck check = new FeedbackCheck(inputs);
                Tensor tensor = Tensor.of(new float[COUNT])) {
            for (int step = 0; step < STEPS; step++) {
                inputs.fill(group.rank(), tensor);
                reduction.sum(group, "fed back", tensor).block();
                if (step == STEPS / 2) {
                    float right = tensor.segment().getAtIndex(ValueLayout.JAVA_FLOAT, COUNT - 1);
                    tensor.segment().setAtIndex(ValueLayout.JAVA_FLOAT, COUNT - 1, right + change);
                }
                check.add(tensor);
            }
            return check.wrong(group, SavedErrors.of(reduction.reducer().state().snapshot()));
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "POWERSGD")
    void steps_ofEachCodec_bringAllThatWasPutIn(CodecChoice codec) throws Exception {
        for (int ranks : new int[] {1, 2, 3}) {
            assertThat(LocalWorldRuns.onEachRank(ranks, group -> wrong(group, codec, CodecSettings.DEFAULT, 0)))
                    .as("%d ranks", ranks)
                    .containsOnly(0L);
        }
    }

    @ParameterizedTest
    @CsvSource({"ONE_BIT, 0.01", "TOP_K, 0.01", "THRESHOLD, 0.01", "INT8, 0.001"})
    void step_ofWhichAnElementIsOff_isFound(CodecChoice codec, float change) throws Exception {
        assertThat(LocalWorldRuns.onEachRank(2, group -> wrong(group, codec, CodecSettings.DEFAULT, change)))
                .containsExactly(1L, 1L);
    }

    @ParameterizedTest
    @EnumSource(names = {"ONE_BIT", "TOP_K", "THRESHOLD"})
    void steps_withoutFeedback_areFound(CodecChoice codec) throws Exception {
        assertThat(LocalWorldRuns.onEachRank(
                        2, group -> wrong(group, codec, CodecSettings.DEFAULT.withFeedback(false), 0)))
                .allMatch(wrong -> wrong > COUNT / 2);
    }
}
