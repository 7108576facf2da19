package io.reactivecomm.spark;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchRule;
import io.reactivecomm.testkit.house.HouseRules;
import io.reactivecomm.testkit.house.PackageRules;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The architecture rules on this module, which is not on the class path of the test of all modules. */
@TestInstance(Lifecycle.PER_CLASS)
class RulesTest {

    /** An integration stays small for its users. */
    private static final int MOST_PUBLIC_TYPES = 12;

    private final JavaClasses module = HouseRules.production("io.reactivecomm.spark");

    static Stream<ArchRule> rules() {
        return Stream.of(
                HouseRules.internalsAreTheLibrarysOwn(),
                HouseRules.publicTypesShowNothingInternal(),
                HouseRules.publicTypesExtendNothingInternal(),
                HouseRules.threadsKeepNoClassLoader(),
                HouseRules.noJavaSerialization(),
                HouseRules.noSystemPropertiesInsideTypes(),
                HouseRules.elementsAreReachedInKernels(),
                HouseRules.warningsAreNotLost(),
                PackageRules.internalsAreTheirModulesOwn());
    }

    @ParameterizedTest
    @MethodSource("rules")
    void rule_holds(ArchRule rule) {
        rule.allowEmptyShould(true).check(module);
    }

    @Test
    void publicTypes_areFew() {
        assertThat(module.stream().filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC)))
                .hasSizeBetween(4, MOST_PUBLIC_TYPES);
    }

    /** Scala makes no function of a lambda where a type has wildcards. */
    @Test
    void run_takesLambdasOfScala() throws NoSuchMethodException {
        assertThat(SparkWorld.class
                        .getMethod("run", SparkProgram.class)
                        .getGenericParameterTypes()[0]
                        .getTypeName())
                .isEqualTo(SparkProgram.class.getName() + "<T, R>");
    }
}
