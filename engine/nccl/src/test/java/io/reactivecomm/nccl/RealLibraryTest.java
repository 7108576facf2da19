package io.reactivecomm.nccl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * A real {@code libnccl.so.2} on a machine that need not have a GPU: {@code -Drcomm.nccl.library=/path/libnccl.so.2}. It shows that the library
 * loads, that its symbols are those of the table, and that a version, a unique id and texts of errors come through. It shows nothing more: without a
 * GPU the library looks at neither a configuration, nor a rank, nor a group, nor data.
 */
class RealLibraryTest {

    private static final String SKIPPED = "skipped: no real NCCL is named by -D" + NcclLibrary.PROPERTY
            + "=/path/libnccl.so.2 (Debian's libnccl2 will do)";

    private static final String PROVES =
            "a real NCCL was loaded: library=%s, version=%d, missing=%s; this shows symbols,"
                    + " version, unique id and texts, no more%n";

    private static NcclSetup setup;

    @BeforeAll
    static void load() {
        boolean isNamed = !System.getProperty(NcclLibrary.PROPERTY, "").isBlank();
        if (!isNamed) {
            System.err.println(SKIPPED);
        }
        assumeTrue(isNamed, SKIPPED);
        setup = new NcclSetup(NcclLibrary.open(Map.of()));
        System.err.printf(PROVES, setup.library().name(), setup.version(), missing());
    }

    private static List<NcclFunction> missing() {
        return Arrays.stream(NcclFunction.values())
                .filter(each -> !setup.library().has(each))
                .toList();
    }

    @Test
    void symbols_areThoseOfItsVersion() {
        assertThat(setup.library().dialect()).isSameAs(NcclDialect.NCCL);
        assertThat(missing()).noneMatch(NcclFunction::isRequired).contains(NcclFunction.SET_DEVICE);
        assertThat(setup.library().has(NcclFunction.COMM_SPLIT)).isEqualTo(setup.version() >= 21_800);
        assertThat(setup.library().has(NcclFunction.COMM_SHRINK)).isEqualTo(setup.version() >= 22_700);
        assertThat(setup.library().has(NcclFunction.ALL_TO_ALL)).isEqualTo(setup.version() >= 22_803);
    }

    @Test
    void uniqueIds_differ() {
        assertThat(setup.uniqueId()).hasSize(128).isNotEqualTo(setup.uniqueId());
    }

    @Test
    void textsOfErrors_areTheLibrarys() {
        assertThat(setup.errors().text(0)).isEqualTo("no error");
        assertThat(setup.errors().text(4)).startsWith("invalid argument");
    }

    @Test
    void wrongUse_isAnException() {
        NcclCalls calls = new NcclCalls(setup);
        assertThatThrownBy(calls::groupEnd)
                .isInstanceOfSatisfying(
                        NcclException.class, e -> assertThat(e.result()).isEqualTo(NcclResult.INVALID_USAGE))
                .hasMessageContaining("function=ncclGroupEnd, result=INVALID_USAGE (5)");
        calls.groupStart();
        assertThat(calls.groupEnd()).isEqualTo(NcclResult.SUCCESS);
    }

    /** Without a GPU the library looks at the driver first, and says so in its last error. */
    @Test
    void communicator_isMade_orTheErrorHasTheLibrarysTexts() {
        try {
            setup.destroy(setup.initRank(1, setup.uniqueId(), 0).comm());
        } catch (NcclException e) {
            assertThat(e.result()).isEqualTo(NcclResult.UNHANDLED_CUDA_ERROR);
            assertThat(e)
                    .hasMessageMatching("a function of NCCL failed: function=ncclCommInitRank,"
                            + " result=UNHANDLED_CUDA_ERROR \\(1\\), text=unhandled cuda error.*, lastError=.+");
        }
    }
}
