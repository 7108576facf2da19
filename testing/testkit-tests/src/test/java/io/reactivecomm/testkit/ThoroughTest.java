package io.reactivecomm.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests tagged as thorough run where Maven was told to leave nothing out, and nowhere else. */
class ThoroughTest {

    /** What the build leaves out; absent where a test is started without Maven. */
    private static final String EXCLUDED = System.getProperty("tests.excluded", "");

    @Test
    @Tag("thorough")
    void taggedTest_runsOnlyWhereItIsAskedFor() {
        assertThat(EXCLUDED).as("tags that this run leaves out").doesNotContain("thorough");
    }
}
