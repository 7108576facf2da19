package io.reactivecomm.deepspeed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.deepspeed.OneBitParams.AdamParams;
import io.reactivecomm.deepspeed.OneBitParams.LambCoefficients;
import io.reactivecomm.deepspeed.OneBitParams.OneBitAdamParams;
import io.reactivecomm.deepspeed.OneBitParams.OneBitLambParams;
import io.reactivecomm.deepspeed.OneBitParams.ZeroOneAdamParams;
import io.reactivecomm.train.BucketOptions;
import io.reactivecomm.train.Scaling;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/** Configurations as DeepSpeed's users have them, read as they are. */
class DeepSpeedConfigTest {

    private static final Logger LOG = (Logger) LoggerFactory.getLogger(DeepSpeedConfig.class);

    /** Most configurations here have keys without effect. */
    @BeforeAll
    static void keepTheLogOffTheConsole() {
        LOG.setAdditive(false);
    }

    @AfterAll
    static void giveTheLogBack() {
        LOG.setAdditive(true);
    }

    private static DeepSpeedConfig read(String json) {
        return DeepSpeedConfig.of(json.replace('\'', '"'));
    }

    @Test
    void nothing_givesTheLibrarysOptions() {
        DeepSpeedConfig config = read("{}");
        assertThat(config.buckets()).isEqualTo(BucketOptions.DEFAULT);
        assertThat(config.commsLogger()).isEmpty();
        assertThat(config.optimizer()).isEmpty();
        assertThat(config.ignored()).isEmpty();
    }

    @Test
    void zero_bucketsHaveElementsOfTheTypeInWhichGradientsTravel() {
        DeepSpeedConfig config = read("""
            {
              'train_batch_size': 16, // of all ranks
              'gradient_clipping': 1.0,
              'fp16': {'enabled': true, 'loss_scale': 0, 'hysteresis': 2},
              'zero_optimization': {
                'stage': 2, 'allgather_partitions': true, 'allgather_bucket_size': 2e8, 'overlap_comm': true, 'reduce_scatter': true,
                'reduce_bucket_size': 5e8, 'contiguous_gradients': true, 'offload_optimizer': {'device': 'cpu'}, 'reduce_bucket_sise': 1,
              },
            }
            """);
        assertThat(config.buckets().bucketBytes()).isEqualTo(1_000_000_000);
        assertThat(config.buckets().communicationType()).isEqualTo(DType.FLOAT16);
        assertThat(config.ignored().keySet())
                .containsExactly(
                        "fp16.hysteresis",
                        "fp16.loss_scale",
                        "gradient_clipping",
                        "train_batch_size",
                        "zero_optimization.allgather_bucket_size",
                        "zero_optimization.allgather_partitions",
                        "zero_optimization.contiguous_gradients",
                        "zero_optimization.offload_optimizer",
                        "zero_optimization.overlap_comm",
                        "zero_optimization.reduce_bucket_sise",
                        "zero_optimization.reduce_scatter",
                        "zero_optimization.stage");
        assertThat(config.ignored())
                .containsEntry("zero_optimization.overlap_comm", "communication always overlaps the backward pass")
                .containsEntry(
                        "zero_optimization.reduce_bucket_sise",
                        "is not read; the nearest key that is read is reduce_bucket_size");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'zero_optimization': {'reduce_bucket_size': 1000}}| 4000",
                "{'zero_optimization': {'reduce_bucket_size': 5e8}}| 2000000000",
                "{'zero_optimization': {'reduce_bucket_size': 0}}| 1",
                "{'zero_optimization': {'reduce_bucket_size': 9223372036854775807}}| 9223372036854775807",
                "{'zero_optimization': {'reduce_bucket_size': 1000}, 'bf16': {'enabled': true}}| 2000",
                "{'zero_optimization': {'reduce_bucket_size': 1000}, 'bfloat16': {'enabled': true}}| 2000",
                "{'zero_optimization': {'reduce_bucket_size': 1000}, 'bf16': {'enabled': true},"
                        + " 'communication_data_type': 'fp32'}| 4000",
                "{'zero_optimization': {'reduce_bucket_size': 1000}, 'bf16': {'enabled': 'auto'}}| 4000",
                "{'zero_optimization': {'reduce_bucket_size': 'auto'}}| 26214400",
                "{'zero_optimization': true}| 26214400"
            })
    void bucketSize_isInElements(String json, long bytes) {
        assertThat(read(json).buckets().bucketBytes()).isEqualTo(bytes);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            nullValues = "null",
            value = {
                "{'communication_data_type': 'fp16'}| FLOAT16",
                "{'communication_data_type': 'BF16'}| BFLOAT16",
                "{'communication_data_type': 'fp32', 'fp16': {'enabled': true}}| FLOAT32",
                "{'communication_data_type': null, 'fp16': {'enabled': true}}| FLOAT16",
                "{'fp16': {'enabled': false}, 'bf16': {'enabled': true}}| BFLOAT16",
                "{'communication_data_type': null}| null",
                "{}| null"
            })
    void communicationType_isNamed_orThatOfTheTraining(String json, DType type) {
        assertThat(read(json).buckets().communicationType()).isEqualTo(type);
        assertThat(read(json).ignored()).isEmpty();
    }

    @Test
    void scaling_isThatOfItsKeys() {
        assertThat(read("{'prescale_gradients': true}").buckets().scaling()).isEqualTo(Scaling.PRESCALE);
        assertThat(read("{'prescale_gradients': false, 'gradient_predivide_factor': 1.0}")
                        .buckets()
                        .scaling())
                .isEqualTo(Scaling.AVERAGE);
        assertThat(read("{'gradient_predivide_factor': 4}").buckets().scaling()).isEqualTo(Scaling.predivide(4));
        assertThat(read("{'gradient_allreduce_op': 'sum'}").buckets().scaling()).isEqualTo(Scaling.SUM);
        assertThat(read("{'gradient_allreduce_op': 'MEAN', 'gradient_predivide_factor': 2.5}")
                        .buckets()
                        .scaling())
                .isEqualTo(Scaling.predivide(2.5));
    }

    /** There, the factor has no effect behind prescaling, and neither has any behind a sum. */
    @Test
    void scalingThatHasNoEffect_isListed() {
        assertThat(read("{'prescale_gradients': true, 'gradient_predivide_factor': 4}")
                        .ignored())
                .containsOnlyKeys("gradient_predivide_factor");
        assertThat(read("{'gradient_allreduce_op': 'sum', 'prescale_gradients': true}")
                        .ignored())
                .containsOnlyKeys("prescale_gradients");
    }

    @Test
    void oneBitAdam_hasItsParameters() {
        DeepSpeedConfig config = read("""
            {'optimizer': {'type': 'OneBitAdam', 'params': {
                'lr': 2e-4, 'betas': [0.8, 0.99], 'eps': 1e-7, 'weight_decay': 3e-7, 'freeze_step': 400, 'cuda_aware': false, 'comm_backend_name': 'nccl'}}}
            """);
        assertThat(config.optimizer()).contains(new OneBitAdamParams(new AdamParams(2e-4, 0.8, 0.99, 1e-7), 400));
        assertThat(config.ignored().keySet())
                .containsExactly(
                        "optimizer.params.comm_backend_name",
                        "optimizer.params.cuda_aware",
                        "optimizer.params.weight_decay");
    }

    @Test
    void zeroOneAdamAndOneBitLamb_haveTheirParameters_andTheirDefaults() {
        assertThat(read("{'optimizer': {'type': 'ZeroOneAdam', 'params': {'var_freeze_step': 1000,"
                                + " 'local_step_scaler': 1e3, 'local_step_clipper': 8}}}")
                        .optimizer())
                .contains(new ZeroOneAdamParams(AdamParams.DEFAULT, 1000, 16, 1000, 8));
        assertThat(read("{'optimizer': {'type': 'zerooneadam'}}").optimizer()).contains(ZeroOneAdamParams.DEFAULT);
        assertThat(read("{'optimizer': {'type': 'OneBitLamb', 'params': {'lr': 'auto', 'max_coeff': 0.3,"
                        + " 'factor_max': 3, 'freeze_step': 1e3}}}"))
                .satisfies(config -> assertThat(config.optimizer())
                        .contains(new OneBitLambParams(
                                AdamParams.DEFAULT, 1000, new LambCoefficients(0.3, 0.01, 0.9, 3, 0.5, 0.1))))
                .satisfies(config -> assertThat(config.ignored()).containsOnlyKeys("optimizer.params.lr"));
        assertThat(read("{'optimizer': {'type': 'OneBitAdam'}}").optimizer())
                .contains(new OneBitAdamParams(AdamParams.DEFAULT, 100_000));
    }

    @Test
    void otherOptimizer_isListedAsAWhole() {
        DeepSpeedConfig config =
                read("{'optimizer': {'type': 'AdamW', 'params': {'lr': 'auto', 'betas': 'auto'}}, 'scheduler': {'type':"
                        + " 'WarmupLR'}}");
        assertThat(config.optimizer()).isEmpty();
        assertThat(config.ignored()).containsOnlyKeys("optimizer", "scheduler");
    }

    @Test
    void loggerThatIsEnabled_whoseModuleIsNotThere_isAnErrorThatNamesIt() {
        assertThatThrownBy(() -> read("{'comms_logger': {'enabled': true}}"))
                .isInstanceOf(InvalidCallException.class)
                .hasMessage("a DeepSpeed configuration asks for a module that is not on the class path: "
                        + "key=comms_logger.enabled; add reactive-comm-timing to the class path");
        DeepSpeedConfig config = read("{'comms_logger': {'enabled': false, 'verbose': true}}");
        assertThat(config.commsLogger()).isEmpty();
        assertThat(config.ignored()).isEmpty();
    }

    /** Its documentation and its source name this key differently. */
    @Test
    void typeOfSequenceParallelGradients_isListedWithItsReason_byBothNames() {
        assertThat(read("{'seq_parallel_communication_data_type': 'fp32', 'seq_parallel_comm_data_type': 'fp32'}")
                        .ignored())
                .containsOnlyKeys("seq_parallel_comm_data_type", "seq_parallel_communication_data_type")
                .allSatisfy((key, reason) -> assertThat(reason).startsWith("a group for sequences"));
    }

    @Test
    void auto_countsAsNoValue_andIsListed() {
        DeepSpeedConfig config = read("""
            {'comms_logger': {'debug': 'auto', 'prof_ops': 'auto'}, 'gradient_predivide_factor': 'auto', 'fp16': 'auto', 'optimizer': 'auto'}
            """);
        assertThat(config.buckets()).isEqualTo(BucketOptions.DEFAULT);
        assertThat(config.ignored())
                .containsOnlyKeys(
                        "comms_logger.debug",
                        "comms_logger.prof_ops",
                        "gradient_predivide_factor",
                        "fp16",
                        "optimizer");
        assertThat(read("{'comms_logger': 'auto'}").commsLogger()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{| not JSON: line=1, column=2, cause=it ends before its object does",
                "``| no object: value=nothing",
                "{} {}| not JSON",
                "[]| no object: value=[]",
                "null| no object",
                "{'fp16': {'enabled': true, 'enabled': true}}| not JSON",
                "{'fp16': {'enabled': 1}}| key=fp16.enabled, value=1; write true or false",
                "{'fp16': true}| key=fp16, value=true; write an object",
                "{'fp16': {'enabled': true}, 'bf16': {'enabled': true}}| trains in two types",
                "{'communication_data_type': 'int8'}| key=communication_data_type, value=\"int8\"; write fp16, bf16 or"
                        + " fp32",
                "{'prescale_gradients': 'yes'}| key=prescale_gradients",
                "{'gradient_predivide_factor': 0}| key=gradient_predivide_factor, value=0; write a number between 1",
                "{'gradient_predivide_factor': -2}| key=gradient_predivide_factor",
                "{'gradient_predivide_factor': 1e999999999}| key=gradient_predivide_factor",
                "{'gradient_predivide_factor': '2'}| key=gradient_predivide_factor",
                "{'gradient_allreduce_op': 'max'}| key=gradient_allreduce_op",
                "{'zero_optimization': []}| key=zero_optimization",
                "{'zero_optimization': {'reduce_bucket_size': -1}}| key=zero_optimization.reduce_bucket_size,"
                        + " value=-1; write a whole number from 0",
                "{'zero_optimization': {'reduce_bucket_size': 1.5}}| key=zero_optimization.reduce_bucket_size",
                "{'zero_optimization': {'reduce_bucket_size': null}}| key=zero_optimization.reduce_bucket_size,"
                        + " value=null",
                "{'zero_optimization': {'reduce_bucket_size': '5e8'}}| key=zero_optimization.reduce_bucket_size",
                "{'optimizer': {'type': 'OneBitAdam', 'params': {'betas': [0.9]}}}| key=optimizer.params.betas,"
                        + " value=[0.9]; write 2 numbers in brackets",
                "{'optimizer': {'type': 'OneBitAdam', 'params': {'betas': ['a', 1]}}}| key=optimizer.params.betas",
                "{'optimizer': {'type': 'OneBitAdam', 'params': {'freeze_step': -1}}}|"
                        + " key=optimizer.params.freeze_step"
            })
    void wrongConfiguration_isAnErrorThatNamesTheKey(String json, String expected) {
        assertThatThrownBy(() -> read(json))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining(expected);
    }

    @Test
    void hugeConfiguration_isAnErrorOrRead() {
        assertThatThrownBy(() -> read("[".repeat(100_000)))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("not JSON");
        assertThatThrownBy(() -> read("{'a': " + "{'a': ".repeat(100_000))).isInstanceOf(InvalidCallException.class);
        assertThatThrownBy(() -> read("{'fp16': '" + "x".repeat(100_000) + "'}"))
                .isInstanceOf(InvalidCallException.class)
                .satisfies(error -> assertThat(error.getMessage()).hasSizeLessThan(300));
        assertThatThrownBy(() -> read("{'gradient_predivide_factor': " + "9".repeat(900) + "}"))
                .isInstanceOf(InvalidCallException.class);
    }

    @Test
    void file_isRead_andNamedInErrors(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("ds_config.json"), "\uFEFF{\r\n\"prescale_gradients\": true\r\n}");
        assertThat(DeepSpeedConfig.load(file).buckets().scaling()).isEqualTo(Scaling.PRESCALE);
        Files.writeString(file, "{\"fp16\": 1}");
        assertThatThrownBy(() -> DeepSpeedConfig.load(file))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("key=fp16")
                .hasMessageContaining("file=" + file);
        Files.write(file, "{\"ü\": 1}".getBytes(StandardCharsets.ISO_8859_1));
        assertThatThrownBy(() -> DeepSpeedConfig.load(file))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("cannot be read: file=" + file);
        assertThatThrownBy(() -> DeepSpeedConfig.load(folder.resolve("none")))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("NoSuchFile");
    }

    @Test
    void keysWithoutEffect_areLoggedOnce() {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        LOG.addAppender(log);
        try {
            for (int rank = 0; rank < 4; rank++) {
                read("{'train_batch_size': 8, 'sparse_gradients': true}");
            }
            read("{}");
        } finally {
            LOG.detachAppender(log);
        }
        assertThat(log.list)
                .singleElement()
                .satisfies(event ->
                        assertThat(event.getFormattedMessage()).contains("sparse_gradients, train_batch_size"));
    }
}
