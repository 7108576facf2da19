package io.reactivecomm.samples.pytorch;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.pytorch.TorchNatives;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The test that two ranks learn to read digits. */
class DigitsTrainingTest {

    private static final int EPOCHS = 10;

    @TempDir
    Path folder;

    @Test
    void twoRanks_learnAlike_andDrawTheCurve() throws Exception {
        TorchNatives.load();
        torch.set_num_threads(1);
        List<List<Epoch>> ofRanks = new ArrayList<>();
        try (LocalWorld world = ReactiveComm.local(2);
                ExecutorService threads = Executors.newFixedThreadPool(2)) {
            List<Future<List<Epoch>>> running = new ArrayList<>();
            for (ProcessGroup group : world.groups()) {
                running.add(threads.submit(() -> DigitsTraining.train(group, EPOCHS)));
            }
            for (Future<List<Epoch>> each : running) {
                ofRanks.add(each.get(120, TimeUnit.SECONDS));
            }
        }

        assertThat(ofRanks.get(1)).isEqualTo(ofRanks.get(0)).hasSize(EPOCHS);
        assertThat(ofRanks.get(0).getLast().accuracy()).isGreaterThan(0.9);
        Path chart = folder.resolve("curve.png");
        String line = LearningCurve.write("digits", ofRanks.get(0), chart);
        assertThat(line)
                .satisfiesAnyOf(
                        written -> assertThat(written).isEqualTo("chart " + chart),
                        // A machine without fonts draws none.
                        none -> assertThat(none).contains("cannot be drawn"));
    }
}
