package io.reactivecomm.timing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.CommConfig;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.deepspeed.DeepSpeedConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The settings that make a logger: the environment, a file of settings, and the configuration of DeepSpeed. */
class LoggerSettingsTest {

    @TempDir
    private Path folder;

    @Test
    void fileOfSettings_makesALogger() throws IOException {
        Path file = Files.writeString(folder.resolve("settings.json"), "{\"RCOMM_COMMS_LOG\": \"ops=barrier\"}");
        CommConfig config =
                CommConfig.fromEnvironment(Map.of("RANK", "1", "WORLD_SIZE", "2", "RCOMM_CONFIG", file.toString()));

        assertThat(CommsLogger.in(config).map(CommsLogger::options))
                .contains(CommsLoggerOptions.DEFAULT.withOperations(Set.of("barrier")));
    }

    private static Optional<CommsLoggerOptions> ofDeepSpeed(String json) {
        return DeepSpeedConfig.of(json.replace('\'', '"')).commsLogger().map(each -> ((CommsLogger) each).options());
    }

    @Test
    void deepSpeed_hasNamesOfOperations_andOfCalls() {
        assertThat(
                        ofDeepSpeed(
                                "{'comms_logger': {'enabled': true, 'verbose': false, 'prof_all': false, 'debug': false, 'prof_ops': ['all_reduce', 'custom_all_reduce_name']}}"))
                .contains(CommsLoggerOptions.DEFAULT.withOperations(
                        Set.of("all-reduce", "inference all-reduce", "named:custom_all_reduce_name")));
    }

    @Test
    void deepSpeed_enablesIt_whateverIsLeftToTheTrainer() {
        assertThat(ofDeepSpeed("{'comms_logger': {'enabled': true, 'debug': 'auto', 'prof_ops': 'auto'}}"))
                .contains(CommsLoggerOptions.DEFAULT);
        assertThat(ofDeepSpeed("{'comms_logger': {'verbose': true}}")).isEmpty();
        assertThat(ofDeepSpeed("{'comms_logger': 'auto'}")).isEmpty();
    }

    @Test
    void deepSpeed_withAnUnknownKey_isAnError() {
        assertThatThrownBy(() -> ofDeepSpeed("{'comms_logger': {'prof_op': []}}"))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("key=comms_logger.prof_op");
    }
}
