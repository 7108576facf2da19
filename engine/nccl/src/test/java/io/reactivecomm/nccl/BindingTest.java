package io.reactivecomm.nccl;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.DType;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.UnsupportedCollectiveException;
import io.reactivecomm.nccl.doubles.NcclDoubleDialect;
import io.reactivecomm.nccl.doubles.NcclDoubleLibrary;
import io.reactivecomm.testkit.Gcc;
import io.reactivecomm.testkit.NeedsGcc;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The binding: how the library is found, what is there of it, and what becomes of its results. */
@ExtendWith(NeedsGcc.class)
class BindingTest {

    /** A real library's name is for its own test. */
    private final String named = System.getProperty(NcclLibrary.PROPERTY, "");

    @BeforeEach
    void nameNone() {
        System.clearProperty(NcclLibrary.PROPERTY);
    }

    @AfterEach
    void nameAgain() {
        if (named.isEmpty()) {
            System.clearProperty(NcclLibrary.PROPERTY);
        } else {
            System.setProperty(NcclLibrary.PROPERTY, named);
        }
    }

    private static NcclLibrary open(String name) {
        return NcclLibrary.open(Map.of(NcclLibrary.VARIABLE, name));
    }

    @Test
    void libraryThatIsNotThere_isAnErrorThatSaysWhatWasTried_andWhatToDo() {
        assertThatThrownBy(() -> open("/nowhere/libnccl.so.2"))
                .isInstanceOf(UnsupportedCollectiveException.class)
                .hasMessageStartingWith("no library of NCCL can be loaded: tried=[/nowhere/libnccl.so.2], reason=")
                .hasMessageEndingWith(
                        "; install NCCL (on Debian libnccl2), RCCL or oneCCL, or name its shared library by RCOMM_NCCL_LIBRARY");
    }

    @Test
    void library_namedInAFileOfSettings_isTried(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(
                folder.resolve("settings.json"), "{\"RCOMM_NCCL_LIBRARY\": \"/nowhere/libother.so\"}");
        assertThatThrownBy(() -> NcclLibrary.open(Map.of("RCOMM_CONFIG", file.toString())))
                .hasMessageContaining("tried=[/nowhere/libother.so]");
    }

    @Test
    void libraryOfSomethingElse_isAnErrorThatSaysWhatIsMissing() {
        assertThatThrownBy(() -> open("libm.so.6"))
                .isInstanceOf(UnsupportedCollectiveException.class)
                .hasMessage(
                        "a library is no NCCL, RCCL or oneCCL: library=libm.so.6, missing=ncclGetVersion; name another by RCOMM_NCCL_LIBRARY");
    }

    /** On a machine that has one of them the first is taken. */
    @Test
    void withoutAName_allNamesAreTried() {
        try {
            assertThat(NcclLibrary.open(Map.of()).name())
                    .isIn(NcclDialect.ALL.stream()
                            .flatMap(dialect -> dialect.libraries().stream())
                            .toList());
        } catch (UnsupportedCollectiveException e) {
            assertThat(e)
                    .hasMessageStartingWith(
                            "no library of NCCL can be loaded: tried=[libnccl.so.2, libnccl.so, librccl.so.1, librccl.so,")
                    .hasMessageContaining("]; install NCCL");
        }
    }

    @Test
    void libraryWithoutRequiredFunctions_isAnErrorThatNamesThem() throws IOException {
        Path library = NativeProgram.built("only_version", "-shared", "-fPIC");
        assertThatThrownBy(() -> open(library.toString()))
                .isInstanceOf(UnsupportedCollectiveException.class)
                .hasMessageStartingWith("a library is too old, or none of NCCL: library=" + library
                        + ", missing=[ncclGetUniqueId, ncclGetErrorString, ncclCommInitRank,")
                .hasMessageEndingWith(
                        "ncclGroupEnd]; install a newer one (NCCL 2.7 or later), or name another by RCOMM_NCCL_LIBRARY");
    }

    @Test
    void property_winsOverTheVariable() {
        Path library = NcclDoubleLibrary.shared(NcclDoubleDialect.RCCL);
        System.setProperty(NcclLibrary.PROPERTY, library.toString());
        NcclLibrary opened = open("/nowhere/libnccl.so.2");
        assertThat(opened.name()).isEqualTo(library.toString());
        assertThat(opened.dialect()).isSameAs(NcclDialect.RCCL);
    }

    @Test
    void namesOfAllDialects_areTried() {
        assertThat(NcclDialect.ALL.stream().flatMap(dialect -> dialect.libraries().stream()))
                .contains("libnccl.so.2", "librccl.so.1", "libccl.so.2")
                .startsWith("libnccl.so.2")
                .doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @EnumSource(NcclDoubleDialect.class)
    void eachDialect_isFoundFromItsFunctions(NcclDoubleDialect dialect) {
        NcclSetup setup = new NcclSetup(NcclDouble.load(dialect).library());

        assertThat(setup.library().dialect()).isSameAs(spoken(dialect));
        assertThat(setup.version()).isEqualTo(dialect.isOneCcl() ? 20_211_700 : 23_003);
        assertThat(setup.uniqueId()).hasSize(spoken(dialect).idBytes()).isNotEqualTo(setup.uniqueId());
        assertThat(Arrays.stream(NcclFunction.values()).filter(NcclFunction::isRequired))
                .allMatch(setup.library()::has);
    }

    private static NcclDialect spoken(NcclDoubleDialect dialect) {
        return switch (dialect) {
            case NCCL, NCCL_OF_DEBIAN, OLD_NCCL -> NcclDialect.NCCL;
            case RCCL -> NcclDialect.RCCL;
            case ONECCL -> NcclDialect.ONECCL;
        };
    }

    private static Set<NcclFunction> present(NcclDoubleDialect dialect) {
        NcclLibrary library = NcclDouble.load(dialect).library();
        return Arrays.stream(NcclFunction.values())
                .filter(each -> !each.isRequired() && library.has(each))
                .collect(Collectors.toSet());
    }

    @Test
    void optionalFunctions_areThereIfTheLibraryExportsThem() {
        assertThat(present(NcclDoubleDialect.NCCL)).hasSize(19).doesNotContain(NcclFunction.SET_DEVICE);
        assertThat(present(NcclDoubleDialect.NCCL_OF_DEBIAN))
                .hasSize(12)
                .contains(NcclFunction.COMM_SPLIT)
                .doesNotContain(NcclFunction.ALL_TO_ALL);
        assertThat(present(NcclDoubleDialect.OLD_NCCL)).isEmpty();
        assertThat(present(NcclDoubleDialect.RCCL))
                .contains(NcclFunction.ALL_TO_ALL)
                .doesNotContain(NcclFunction.COMM_SHRINK);
        assertThat(present(NcclDoubleDialect.ONECCL))
                .contains(NcclFunction.ALL_TO_ALL, NcclFunction.SET_DEVICE, NcclFunction.COMM_SPLIT)
                .doesNotContain(
                        NcclFunction.COMM_ABORT,
                        NcclFunction.COMM_FINALIZE,
                        NcclFunction.COMM_GET_ASYNC_ERROR,
                        NcclFunction.COMM_REVOKE);
    }

    /** As in the real ones: whoever links against a newer library and loads an older one finds out at the call. */
    @Test
    void optionalSymbolsOfTheDouble_areWeak() throws IOException {
        Path library = NcclDoubleLibrary.shared(NcclDoubleDialect.NCCL);
        String symbols = Gcc.run(List.of("nm", "-D", "--defined-only", library.toString()), library.getParent());
        for (NcclFunction function : NcclFunction.values()) {
            String expected = (function.isRequired() ? " T " : " W ") + NcclDialect.NCCL.name(function) + "\n";
            assertThat(symbols.contains(expected)).as(expected).isEqualTo(function != NcclFunction.SET_DEVICE);
        }
    }

    @Test
    void functionThatIsNotThere_isAnErrorThatNamesIt() {
        NcclLibrary library = NcclDouble.load(NcclDoubleDialect.OLD_NCCL).library();
        NcclCalls calls = new NcclCalls(new NcclSetup(library));

        assertThatThrownBy(() -> calls.allToAll(0, 0, 0, NcclType.INT8, 0, 0))
                .isInstanceOf(UnsupportedCollectiveException.class)
                .hasMessage("a function is not in the library of NCCL: library=" + library.name()
                        + ", missing=ncclAlltoAll; install a newer one, or name another by RCOMM_NCCL_LIBRARY");
    }

    @Test
    void allToAllOfOtherDialects_isCalledByItsOtherName() {
        for (NcclDoubleDialect dialect : List.of(NcclDoubleDialect.RCCL, NcclDoubleDialect.ONECCL)) {
            try (NcclDoubleRanks ranks = NcclDoubleRanks.begin(NcclDouble.load(dialect), 1)) {
                ranks.succeed(rank -> {
                    NcclElements.fill(rank.memory(), 0, NcclType.INT32, 3, i -> i);
                    rank.calls().allToAll(rank.at(0), rank.at(64), 3, NcclType.INT32, rank.comm(), rank.stream());
                    rank.synchronize();
                    assertThat(NcclElements.read(rank.memory(), 64, NcclType.INT32, 3))
                            .containsExactly(0, 1, 2);
                });
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = NcclResult.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"SUCCESS", "IN_PROGRESS", "UNKNOWN"})
    void eachResult_isAnExceptionWithItsNameItsNumberAndTheLibrarysTexts(NcclResult result) {
        NcclDouble nccl = NcclDouble.load(NcclDoubleDialect.NCCL);
        NcclSetup setup = new NcclSetup(nccl.library());
        nccl.plan("GetUniqueId", NcclDouble.ANY, result, 0);

        assertThatThrownBy(setup::uniqueId)
                .isInstanceOfSatisfying(
                        NcclException.class, e -> assertThat(e.result()).isEqualTo(result))
                .hasMessage("a function of NCCL failed: function=ncclGetUniqueId, result=" + result + " ("
                        + result.ordinal() + "), text=" + setup.errors().text(result.ordinal())
                        + ", lastError=GetUniqueId was told to fail with " + result.ordinal());
        assertThat(setup.errors().text(result.ordinal())).isNotEmpty().isNotEqualTo("unknown result code");
    }

    @Test
    void libraryThatHasNoLastError_isAskedForNone() {
        NcclDouble nccl = NcclDouble.load(NcclDoubleDialect.OLD_NCCL);
        nccl.plan("GetUniqueId", NcclDouble.ANY, NcclResult.SYSTEM_ERROR, 0);

        assertThatThrownBy(new NcclSetup(nccl.library())::uniqueId)
                .hasMessage(
                        "a function of NCCL failed: function=ncclGetUniqueId, result=SYSTEM_ERROR (2), text=unhandled system error");
    }

    @Test
    void numbersOfResults_areThoseOfTheDialect() {
        for (int i = 0; i < 9; i++) {
            assertThat(NcclDialect.NCCL.result(i)).isEqualTo(NcclResult.of(i)).returns(i, NcclResult::ordinal);
        }
        assertThat(NcclDialect.NCCL.result(9)).isEqualTo(NcclResult.of(-1)).isEqualTo(NcclResult.UNKNOWN);
        assertThat(NcclDialect.ONECCL.result(6)).isEqualTo(NcclResult.IN_PROGRESS);
        assertThat(NcclDialect.ONECCL.result(7)).isEqualTo(NcclResult.UNHANDLED_CUDA_ERROR);
        assertThat(NcclDialect.ONECCL.result(12)).isEqualTo(NcclResult.INVALID_USAGE);
        assertThat(NcclDialect.ONECCL.result(13)).isEqualTo(NcclResult.UNKNOWN);
        assertThat(Arrays.stream(NcclResult.values()).filter(NcclResult::isSound))
                .containsExactly(NcclResult.SUCCESS, NcclResult.IN_PROGRESS);
    }

    @Test
    void oneCclsNumbers_becomeOurs() {
        NcclDouble nccl = NcclDouble.load(NcclDoubleDialect.ONECCL);
        nccl.plan("GetUniqueId", NcclDouble.ANY, NcclResult.UNHANDLED_CUDA_ERROR, 0);

        assertThatThrownBy(new NcclSetup(nccl.library())::uniqueId)
                .hasMessageContaining(
                        "function=onecclGetUniqueId, result=UNHANDLED_CUDA_ERROR (7), text=unhandled cuda error");
    }

    @Test
    void configuration_isThatOfTheDialectsLayout() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment config = new NcclConfig(false).write(NcclDialect.NCCL, arena);
            assertThat(config.byteSize()).isEqualTo(48).isEqualTo(config.get(JAVA_LONG, 0));
            assertThat(config.asSlice(8, 24).toArray(JAVA_INT))
                    .containsExactly(0xcafebeef, 21_800, 0, Integer.MIN_VALUE, Integer.MIN_VALUE, Integer.MIN_VALUE);
            assertThat(config.get(JAVA_LONG, 32)).isZero();
            assertThat(config.asSlice(40, 8).toArray(JAVA_INT)).containsOnly(Integer.MIN_VALUE);

            MemorySegment ofOneCcl = new NcclConfig(true).write(NcclDialect.ONECCL, arena);
            assertThat(ofOneCcl.byteSize()).isEqualTo(56).isEqualTo(ofOneCcl.get(JAVA_LONG, 0));
            assertThat(ofOneCcl.get(JAVA_INT, 16)).isEqualTo(1);
            assertThat(ofOneCcl.get(JAVA_LONG, 48)).isZero();
        }
    }

    /** The double checks size, magic, version and what is undefined. */
    @ParameterizedTest
    @EnumSource(
            value = NcclDoubleDialect.class,
            names = {"NCCL", "NCCL_OF_DEBIAN", "RCCL", "ONECCL"})
    void communicatorByConfiguration_isMade(NcclDoubleDialect dialect) {
        NcclDouble nccl = NcclDouble.load(dialect);
        NcclSetup setup = new NcclSetup(nccl.library());
        NewComm made = setup.initRank(1, setup.uniqueId(), 0, new NcclConfig(true));

        assertThat(made.state()).isEqualTo(NcclResult.SUCCESS);
        assertThat(setup.size(made.comm())).isEqualTo(1);
        setup.setDevice(0);
        setup.destroy(made.comm());
        assertThat(nccl.faults()).isEmpty();
        assertThat(nccl.comms()).isZero();
    }

    @Test
    void versionOfTheLibrary_isWrittenAsPeopleDo() {
        Path library = NcclDoubleLibrary.shared(NcclDoubleDialect.NCCL);
        assertThat(NcclProbe.open(Map.of(NcclLibrary.VARIABLE, library.toString()))
                        .versionText())
                .isEqualTo("2.30.3");
    }

    @Test
    void idOfAnotherLibrary_isRefused() {
        NcclSetup setup = new NcclSetup(NcclDouble.load(NcclDoubleDialect.NCCL).library());
        assertThatThrownBy(() -> setup.initRank(1, new byte[4096], 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a unique id of another library: bytes=4096, expected=128");
    }

    @Test
    void wideId_onAnArchitectureThatIsNotKnown_isAnError() {
        assertThatThrownBy(() -> LargeIdCall.of(MemorySegment.NULL, true, 4096, "riscv64"))
                .isInstanceOf(UnsupportedCollectiveException.class)
                .hasMessage(
                        "a unique id of 4096 bytes cannot be passed by value: architecture=riscv64, known=[amd64, aarch64];"
                                + " use NCCL or RCCL there");
    }

    @Test
    void typesAndOperations_haveNcclsNumbers_orAreOnlyMoved() {
        assertThat(Arrays.stream(NcclType.values()).map(Enum::name))
                .containsExactly(
                        "INT8",
                        "UINT8",
                        "INT32",
                        "UINT32",
                        "INT64",
                        "UINT64",
                        "FLOAT16",
                        "FLOAT32",
                        "FLOAT64",
                        "BFLOAT16");
        assertThat(Arrays.stream(NcclOperation.values()).map(Enum::name))
                .containsExactly("SUM", "PRODUCT", "MAX", "MIN", "AVG");
        for (DType type : DType.values()) {
            assertThat(NcclType.ofWidth(type).byteSize()).isEqualTo(type.byteSize());
            if (ReduceOp.SUM.supports(type)) {
                assertThat(NcclType.ofArithmetic(type).name()).isEqualTo(type.name());
            } else {
                assertThatThrownBy(() -> NcclType.ofArithmetic(type))
                        .hasMessage("NCCL has no arithmetic for it: type=" + type);
            }
        }
        assertThat(NcclType.ofWidth(2)).isEqualTo(NcclType.FLOAT16);
        assertThatThrownBy(() -> NcclType.ofWidth(3)).isInstanceOf(IllegalArgumentException.class);
        assertThat(NcclOperation.of(ReduceOp.MIN).code()).isEqualTo(3);
        assertThatThrownBy(() -> NcclOperation.of(ReduceOp.BXOR))
                .hasMessage("NCCL has no bitwise operations: operation=BXOR");
    }

    @Test
    void reductions_areNcclsIfItHasThem() {
        assertThat(NcclOperation.isSupported(ReduceOp.AVG, DType.FLOAT16, NcclDialect.NCCL))
                .isTrue();
        assertThat(NcclOperation.isSupported(ReduceOp.AVG, DType.FLOAT16, NcclDialect.ONECCL))
                .isFalse();
        assertThat(NcclOperation.isSupported(ReduceOp.AVG, DType.INT32, NcclDialect.NCCL))
                .isFalse();
        assertThat(NcclOperation.isSupported(ReduceOp.BAND, DType.INT32, NcclDialect.NCCL))
                .isFalse();
        assertThat(NcclOperation.isSupported(ReduceOp.MAX, DType.BOOL, NcclDialect.NCCL))
                .isFalse();
        assertThat(NcclOperation.isSupported(ReduceOp.SUM, DType.FLOAT8_E5M2, NcclDialect.NCCL))
                .isFalse();
        assertThat(NcclOperation.isSupported(new PreMulSum(2), DType.BFLOAT16, NcclDialect.NCCL))
                .isTrue();
        assertThat(NcclOperation.isSupported(ReduceOp.PRODUCT, DType.UINT64, NcclDialect.NCCL))
                .isTrue();
    }

    /** A function that was marked critical would hold up the collector of garbage. */
    @Test
    void blockedCall_letsTheJvmCollectGarbage() throws InterruptedException {
        NcclDouble nccl = NcclDouble.load(NcclDoubleDialect.NCCL);
        NcclCalls calls = new NcclCalls(new NcclSetup(nccl.library()));
        nccl.holdCall("GroupStart");
        Thread blocked = Thread.ofPlatform().daemon().start(() -> {
            calls.groupStart();
            calls.groupEnd();
        });
        nccl.awaitHeld(1);
        System.gc();
        nccl.holdCall("");
        blocked.join();
        assertThat(nccl.calls("GroupEnd")).isEqualTo(1);
    }
}
