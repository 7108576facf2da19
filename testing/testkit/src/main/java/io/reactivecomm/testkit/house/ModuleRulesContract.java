package io.reactivecomm.testkit.house;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.lang.ArchRule;
import java.util.stream.Stream;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The architecture rules on one module, for modules that are not on the class path of the test of all modules. */
@TestInstance(Lifecycle.PER_CLASS)
public abstract class ModuleRulesContract {

    /** The production classes of the module. */
    protected final JavaClasses module;

    /** @param rootPackage the module's */
    protected ModuleRulesContract(String rootPackage) {
        module = HouseRules.production(rootPackage);
    }

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
}
