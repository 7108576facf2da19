package io.reactivecomm.spark;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaModifier;
import io.reactivecomm.testkit.house.ModuleRulesContract;
import org.junit.jupiter.api.Test;

/** The architecture rules on this module, and rules of its API. */
class RulesTest extends ModuleRulesContract {

    /** An integration stays small for its users. */
    private static final int MOST_PUBLIC_TYPES = 12;

    RulesTest() {
        super("io.reactivecomm.spark");
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
