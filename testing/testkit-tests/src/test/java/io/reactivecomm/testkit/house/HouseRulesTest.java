package io.reactivecomm.testkit.house;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.core.net.HardenedObjectInputStream;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.PackageMatcher;
import com.tngtech.archunit.lang.ArchRule;
import io.reactivecomm.internal.engine.Engine;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Imported classes are kept no longer than these tests: whatever stays makes each collection of those that follow in this JVM longer. */
@TestInstance(Lifecycle.PER_CLASS)
class HouseRulesTest {

    private final JavaClasses production = HouseRules.production();

    static Stream<ArchRule> rules() {
        return HouseRules.all().stream();
    }

    @ParameterizedTest
    @MethodSource("rules")
    void rule_holds(ArchRule rule) {
        assertThat(production.contain(Engine.class))
                .as("the library is among the classes")
                .isTrue();
        rule.check(production);
    }

    @Test
    void slices_areTheTransports() {
        PackageMatcher matcher = PackageMatcher.of(HouseRules.EACH_BESIDE);

        assertThat(matcher.match("io.reactivecomm.netty.store").map(found -> found.getGroup(1)))
                .contains("netty");
        assertThat(matcher.match("io.reactivecomm.launch").map(found -> found.getGroup(1)))
                .contains("launch");
        assertThat(matcher.matches("io.reactivecomm.internal.engine")).isFalse();
    }

    /** Breaks one of the rules. */
    private static final class Offender {

        static Object read(byte[] bytes) throws IOException, ClassNotFoundException {
            try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
                return in.readObject();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "internal.composite.CompositeOffender",
                "internal.stream.StreamOffender",
                "train.HookOffender",
                "internal.train.BucketOffender",
                "sequence.SequenceOffender"
            })
    void packageThatKnowsTheEngine_isSeen(String name) throws ClassNotFoundException {
        requireSeen(HouseRules.packagesPointOneWay(), name);
    }

    @Test
    void programThatKnowsTheEngine_isSeen() throws ClassNotFoundException {
        requireSeen(HouseRules.internalsAreTheLibrarysOwn(), "samples.programs.ProgramOffender");
    }

    @Test
    void publicTypeThatShowsTheEngine_isSeen() throws ClassNotFoundException {
        requireSeen(HouseRules.publicTypesShowNothingInternal(), "train.ShowingOffender");
    }

    @Test
    void transportThatKnowsAnother_isSeen() throws ClassNotFoundException {
        requireSeen(HouseRules.transportsDoNotKnowEachOther(), "netty.TransportOffender", "shm.OtherTransport");
    }

    @Test
    void packagesOfOneModule_thatKnowEachOther_areSeen() throws ClassNotFoundException {
        requireSeen(
                PackageRules.haveNoCircles(),
                "netty.internal.link.CircleOffender",
                "netty.internal.store.OtherCircleOffender");
    }

    @Test
    void typeThatNamesInternalsOfAnotherModule_isSeen() throws ClassNotFoundException {
        requireSeen(
                PackageRules.internalsAreTheirModulesOwn(),
                "shm.InternalsOffender",
                "netty.internal.link.CircleOffender");
    }

    @Test
    void publicTypeThatShowsInternalsOfItsModule_isSeen() throws ClassNotFoundException {
        requireSeen(
                HouseRules.publicTypesShowNothingInternal(),
                "netty.ShowingTransport",
                "netty.internal.link.CircleOffender");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Heir", "Implementor", "Bound"})
    void publicTypeThatExtendsInternals_isSeen(String name) throws ClassNotFoundException {
        requireSeen(
                HouseRules.publicTypesExtendNothingInternal(),
                "train.ExtendingOffender$" + name,
                "train.ExtendingOffender");
    }

    @Test
    void largePackage_isSeen() {
        assertThatThrownBy(() -> PackageRules.haveAtMost(10).check(production))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("package io.reactivecomm.internal.engine has");
    }

    @Test
    void simpleNameOfTwoTypes_isSeen() throws ClassNotFoundException {
        requireSeen(PackageRules.namesHaveOneMeaning(), "shm.NamesakeOffender", "netty.NamesakeOffender");
    }

    @Test
    void typeThatKnowsATransport_isSeen() throws ClassNotFoundException {
        requireSeen(HouseRules.nothingPointsBack(), "train.BackOffender", "shm.OtherTransport");
    }

    @Test
    void typeThatReadsASystemProperty_isSeen() throws ClassNotFoundException {
        requireSeen(HouseRules.noSystemPropertiesInsideTypes(), "train.PropertyOffender");
    }

    @Test
    void typeThatUsesSharedThreads_isSeen() throws ClassNotFoundException {
        requireSeen(HouseRules.threadsKeepNoClassLoader(), "train.SharedThreadOffender");
    }

    @Test
    void typeWhoseWarningsMayBeLost_isSeen() throws ClassNotFoundException {
        requireSeen(HouseRules.warningsAreNotLost(), "train.LostWarningOffender");
    }

    @Test
    void typeThatReachesElements_isSeen() throws ClassNotFoundException {
        requireSeen(HouseRules.elementsAreReachedInKernels(), "train.ElementOffender", "Tensor");
    }

    private static void requireSeen(ArchRule rule, String name) throws ClassNotFoundException {
        requireSeen(rule, name, "internal.engine.Engine");
    }

    private static void requireSeen(ArchRule rule, String name, String known) throws ClassNotFoundException {
        Class<?> type = Class.forName("io.reactivecomm." + name);
        Class<?> other = Class.forName("io.reactivecomm." + known);
        JavaClasses offender = HouseRules.read(importer -> importer.importClasses(type, other));

        assertThatThrownBy(() -> rule.check(offender))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(name);
    }

    /** Breaks the same rule with a library's subclass, whose superclass only that library tells. */
    private static final class HeirOffender {

        static Class<?> reader() {
            return HardenedObjectInputStream.class;
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {Offender.class, HeirOffender.class})
    void serialization_isSeen(Class<?> type) {
        JavaClasses offender = HouseRules.read(importer -> importer.importClasses(type));

        assertThatThrownBy(() -> HouseRules.noJavaSerialization().check(offender))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("Offender");
    }
}
