package io.reactivecomm.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivecomm.DType;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.Tensor;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Steps compared with those of an installed torch, which computes them from the same formulas: {@code torch_steps.py}. Skipped where no python3 of the PATH imports torch. */
@Tag("thorough")
@Timeout(300)
class TorchComparisonTest {

    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final int WIDTH = 5;
    private static final int BATCH = 4;
    private static final double RATE = 0.05;

    /** Importing torch takes seconds, so it is asked once. */
    private static final Optional<String> PYTHON = python();

    @TempDir
    private Path folder;

    /** {@return the lines that torch prints, as numbers behind a word} */
    private List<double[]> torch(String... arguments) throws Exception {
        Path script = folder.resolve("torch_steps.py");
        try (InputStream text = TorchComparisonTest.class.getResourceAsStream("torch_steps.py")) {
            Files.write(script, Objects.requireNonNull(text).readAllBytes());
        }
        assumeTrue(PYTHON.isPresent(), "no python3 of the PATH imports torch with Gloo (Debian: python3-torch)");
        List<String> command = new ArrayList<>(List.of(PYTHON.get(), script.toString()));
        command.addAll(List.of(arguments));
        Path out = folder.resolve("out.txt");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        try {
            assertThat(process.waitFor(240, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        String text = Files.readString(out, StandardCharsets.UTF_8);
        assertThat(process.exitValue()).as(text).isZero();
        return text.lines()
                .filter(line -> line.startsWith("clipped ") || line.startsWith("losses "))
                .map(line -> Arrays.stream(line.split(" "))
                        .skip(1)
                        .mapToDouble(Double::parseDouble)
                        .toArray())
                .toList();
    }

    private static Optional<String> python() {
        return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                .map(each -> Path.of(each, "python3"))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .filter(TorchComparisonTest::importsTorch)
                .findFirst();
    }

    private static boolean importsTorch(String python) {
        try {
            Process process = new ProcessBuilder(
                            python, "-c", "import torch.distributed as d; assert d.is_gloo_available()")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try {
                return process.waitFor(60, TimeUnit.SECONDS) && process.exitValue() == 0;
            } finally {
                process.destroyForcibly();
            }
        } catch (IOException | InterruptedException e) {
            return false;
        }
    }

    @ParameterizedTest
    @CsvSource({"1.0", "1000"})
    void clipping_equalsTorchs(double limit) throws Exception {
        List<double[]> expected = torch("clip", Double.toString(limit));
        Map<String, float[]> results = new ConcurrentHashMap<>();
        List<Gradient> gradients = new ArrayList<>();
        for (int layer = 0; layer < 3; layer++) {
            float[] values = new float[7 + layer];
            for (int i = 0; i < values.length; i++) {
                values[i] = (float) Math.sin(layer + i);
            }
            gradients.add(new Gradient("layer" + layer, Tensor.of(values)));
        }
        new GradientHooks()
                .clipByGlobalNorm(limit)
                .run(new TrainingStep() {
                    @Override
                    public Flux<Gradient> gradients() {
                        return Flux.fromIterable(gradients);
                    }

                    @Override
                    public Mono<Void> takeBack(Gradient reduced) {
                        results.put(reduced.name(), reduced.tensor().toFloatArray());
                        return Mono.empty();
                    }
                })
                .block(LIMIT);
        assertThat(expected).hasSize(3);
        for (int layer = 0; layer < 3; layer++) {
            float[] values = results.get("layer" + layer);
            assertThat(values).hasSize(expected.get(layer).length);
            for (int i = 0; i < values.length; i++) {
                assertThat((double) values[i]).isCloseTo(expected.get(layer)[i], within(1e-6));
            }
        }
    }

    /** One rank's linear model, in FLOAT64. */
    private static final class Model implements TrainingStep {

        private final int rank;
        private final double[] weights = new double[WIDTH];
        private final List<Double> losses = new ArrayList<>();
        private int batch;

        private Model(int rank) {
            this.rank = rank;
        }

        private static double sample(int rank, int batch, int row, int i) {
            return Math.sin(1 + 7 * rank + 3 * batch + 2 * row + i);
        }

        @Override
        public Flux<Gradient> gradients() {
            double loss = 0;
            double[] gradient = new double[WIDTH];
            for (int row = 0; row < BATCH; row++) {
                double error = -sample(rank, batch, row, WIDTH);
                for (int i = 0; i < WIDTH; i++) {
                    error += weights[i] * sample(rank, batch, row, i);
                }
                loss += error * error / BATCH;
                for (int i = 0; i < WIDTH; i++) {
                    gradient[i] += 2 * error * sample(rank, batch, row, i) / BATCH;
                }
            }
            batch++;
            losses.add(loss);
            return Flux.just(new Gradient("weight", Tensor.of(gradient)));
        }

        @Override
        public Mono<Void> takeBack(Gradient reduced) {
            double[] mean = reduced.tensor().toDoubleArray();
            for (int i = 0; i < WIDTH; i++) {
                weights[i] -= RATE * mean[i];
            }
            return Mono.empty();
        }
    }

    /** The losses of a rank that trains on show whether the others' shares were divided alike. */
    @ParameterizedTest
    @CsvSource({"WORLD_SIZE, 11 5 7", "ACTIVE_RANKS, 5 7"})
    void unevenInputs_haveTheLossesOfTorchsJoin(Divisor divisor, String batches) throws Exception {
        String[] counts = batches.split(" ");
        List<String> arguments = new ArrayList<>(List.of("join", divisor == Divisor.WORLD_SIZE ? "world" : "active"));
        arguments.addAll(List.of(counts));
        List<double[]> expected = torch(arguments.toArray(String[]::new));
        assertThat(expected).hasSize(counts.length);
        List<Model> models =
                IntStream.range(0, counts.length).mapToObj(Model::new).toList();
        try (LocalWorld world = ReactiveComm.local(counts.length)) {
            List<Mono<StepEnd>> ranks = IntStream.range(0, counts.length)
                    .mapToObj(rank -> {
                        GradientHooks hooks = GradientHooks.of(
                                        GradientBuckets.average(world.groups().get(rank))
                                                .registered(List.of(new Parameter("weight", DType.FLOAT64, WIDTH))))
                                .withUnevenInputs(divisor);
                        return Flux.range(0, Integer.parseInt(counts[rank]))
                                .concatMap(batch -> hooks.run(models.get(rank)))
                                .then(Mono.defer(() -> hooks.finished(models.get(rank), end -> Mono.empty())));
                    })
                    .toList();
            assertThat(Flux.merge(Flux.fromIterable(ranks), ranks.size())
                            .collectList()
                            .block(LIMIT))
                    .hasSize(ranks.size());
        }
        for (int rank = 0; rank < counts.length; rank++) {
            assertThat(models.get(rank).losses).hasSize(expected.get(rank).length);
            for (int i = 0; i < expected.get(rank).length; i++) {
                assertThat(models.get(rank).losses.get(i)).isCloseTo(expected.get(rank)[i], within(5e-6));
            }
        }
    }
}
