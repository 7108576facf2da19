package io.reactivecomm.timing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.CommConfig;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.RendezvousException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommsLoggerOptionsTest {

    @Test
    void deepSpeedsBlock_isRead() {
        CommsLoggerOptions options = CommsLoggerOptions.ofDeepSpeed("""
                {
                  "train_batch_size": 8,
                  "comms_logger": {
                    "enabled": true, "verbose": true, "prof_all": false, "debug": true,
                    "prof_ops": ["all_reduce", "all_gather_into_tensor", "isend", "recv", "all_gather_object", "reduce-scatter"]
                  }
                }
                """);
        assertThat(options)
                .isEqualTo(new CommsLoggerOptions(
                        true,
                        true,
                        true,
                        false,
                        Set.of(
                                "all-reduce",
                                "inference all-reduce",
                                "all-gather",
                                "send",
                                "receive",
                                "object all-gather",
                                "reduce-scatter"),
                        List.of()));
    }

    @Test
    void deepSpeedsDefaults_areItsOwn() {
        CommsLoggerOptions off = CommsLoggerOptions.DEFAULT.withEnabled(false);
        assertThat(CommsLoggerOptions.ofDeepSpeed("{}")).isEqualTo(off);
        assertThat(CommsLoggerOptions.ofDeepSpeed("{\"comms_logger\": {}}")).isEqualTo(off);
        assertThat(CommsLoggerOptions.ofDeepSpeed("{\"comms_logger\": {\"enabled\": true}}"))
                .isEqualTo(CommsLoggerOptions.DEFAULT);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'comms_logger': {'verbos': true}}| comms_logger.verbos",
                "{'comms_logger': {'enabled': 1}}| comms_logger.enabled",
                "{'comms_logger': {'enabled': null}}| comms_logger.enabled",
                "{'comms_logger': {'enabled': true, 'enabled': false}}| enabled",
                "{'comms_logger': {'prof_ops': 'all_reduce'}}| comms_logger.prof_ops",
                "{'comms_logger': {'prof_ops': [1]}}| comms_logger.prof_ops",
                "{'comms_logger': []}| comms_logger",
                "[]| the whole",
                "{| not JSON",
                "{} {}| not JSON"
            })
    void wrongBlock_isAnErrorThatNamesIt(String json, String named) {
        assertThatThrownBy(() -> CommsLoggerOptions.ofDeepSpeed(json.replace('\'', '"')))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining(named);
    }

    @Test
    void text_isRead() {
        CommsLoggerOptions on = CommsLoggerOptions.DEFAULT;
        assertThat(CommsLoggerOptions.parse("on")).isEqualTo(on);
        assertThat(CommsLoggerOptions.parse("1")).isEqualTo(on);
        assertThat(CommsLoggerOptions.parse("verbose; debug"))
                .isEqualTo(on.withVerbose(true).withDebug(true));
        assertThat(CommsLoggerOptions.parse("ops=all-reduce, message ;names=layer*,head"))
                .isEqualTo(on.withOperations(Set.of("all-reduce", "send", "receive"))
                        .withNames(List.of("layer*", "head")));
        assertThat(CommsLoggerOptions.parse("ops=broadcast,named:grad*"))
                .isEqualTo(on.withOperations(Set.of("broadcast", "named:grad*")));
        assertThat(CommsLoggerOptions.parse("off;verbose"))
                .isEqualTo(on.withVerbose(true).withEnabled(false));
        assertThat(CommsLoggerOptions.parse(" ").enabled()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"verbos", "ops=", "names= ,", "ops=all-reduse", "ops=named:", "on,verbose"})
    void wrongText_isAnErrorThatNamesTheVariable(String text) {
        assertThatThrownBy(() -> CommsLoggerOptions.fromEnvironment(Map.of("RCOMM_COMMS_LOG", text)))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("RCOMM_COMMS_LOG=" + text)
                .hasMessageContaining("write");
    }

    private static CommConfig config(String log) {
        Map<String, String> environment = new HashMap<>(Map.of("RANK", "0", "WORLD_SIZE", "1"));
        environment.put("RCOMM_COMMS_LOG", log);
        return CommConfig.fromEnvironment(environment);
    }

    @Test
    void environment_makesALogger_thatIsFound() {
        CommsLogger logger = CommsLogger.in(config("ops=barrier")).orElseThrow();
        assertThat(logger.options()).isEqualTo(CommsLoggerOptions.DEFAULT.withOperations(Set.of("barrier")));
        assertThat(CommsLogger.in(config("off"))).isEmpty();
        assertThat(CommsLogger.in(config(""))).isEmpty();
        assertThat(CommsLogger.in(CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT)))
                .isEmpty();
        assertThatThrownBy(() -> config("loud")).isInstanceOf(RendezvousException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "layer*, layer1, true",
        "layer*, layer, true",
        "layer*, other, false",
        "*, '', true",
        "'', '', true",
        "'', a, false",
        "a*b*c, axxbyybc, true",
        "a*b*c, axxbyyb, false",
        "*weight, layer1.weight, true",
        "*weight, weights, false",
        "a, ab, false",
        "**a, ba, true"
    })
    void pattern_matchesWholeNames(String pattern, String name, boolean matches) {
        assertThat(new NamePattern(pattern).matches(name)).isEqualTo(matches);
    }
}
