package io.reactivecomm.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.PackageMatcher;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import io.reactivecomm.engine.Engine;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class HouseRulesTest {

    private static final JavaClasses PRODUCTION = HouseRules.production();

    static Stream<ArchRule> rules() {
        return HouseRules.all().stream();
    }

    @ParameterizedTest
    @MethodSource("rules")
    void rule_holds(ArchRule rule) {
        assertThat(PRODUCTION.contain(Engine.class)).as("the library is among the classes").isTrue();
        rule.check(PRODUCTION);
    }

    @Test
    void slices_areTheTransports() {
        PackageMatcher matcher = PackageMatcher.of(HouseRules.EACH_BESIDE);

        assertThat(matcher.match("io.reactivecomm.netty.store").map(found -> found.getGroup(1))).contains("netty");
        assertThat(matcher.match("io.reactivecomm.launch").map(found -> found.getGroup(1))).contains("launch");
        assertThat(matcher.matches("io.reactivecomm.engine")).isFalse();
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
    @ValueSource(strings = {
        "composite.CompositeOffender", "stream.StreamOffender", "hook.HookOffender", "bucket.BucketOffender", "sequence.SequenceOffender"
    })
    void packageThatKnowsTheEngine_isSeen(String name) throws ClassNotFoundException {
        JavaClasses offender = new ClassFileImporter().importClasses(Class.forName("io.reactivecomm." + name), Engine.class);

        assertThatThrownBy(() -> HouseRules.packagesPointOneWay().check(offender))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(name);
    }

    @Test
    void serialization_isSeen() {
        JavaClasses offender = new ClassFileImporter().importClasses(Offender.class);

        assertThatThrownBy(() -> HouseRules.noJavaSerialization().check(offender))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("Offender");
    }
}
