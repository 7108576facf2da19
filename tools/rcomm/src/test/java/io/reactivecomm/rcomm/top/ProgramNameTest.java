package io.reactivecomm.rcomm.top;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProgramNameTest {

    @ParameterizedTest
    @CsvSource({
        "-Xmx1g -cp a.jar:b.jar com.example.Training --epochs 3, Training",
        "--enable-native-access=ALL-UNNAMED --class-path x -ea Main, Main",
        "-jar build/train.jar -v, train.jar",
        "--add-modules jdk.incubator.vector -m app/com.example.Training, Training",
        "-cp a.jar,",
        "@options,",
        "-cp a.jar io.reactivecomm.rcomm.Rcomm train --ranks 2, Rcomm train"
    })
    void name_isTheMainClassOrTheJar(String arguments, String name) {
        assertThat(ProgramName.in(Arrays.asList(arguments.split(" ")))).isEqualTo(java.util.Optional.ofNullable(name));
    }

    @Test
    void process_thatIsNotThere_hasNone() {
        assertThat(ProgramName.of(Long.MAX_VALUE)).isEmpty();
        assertThat(ProgramName.of(ProcessHandle.current().pid())).isPresent();
    }
}
