package io.reactivecomm.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.train.Scaling.Predivide;
import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScalingTest {

    @ParameterizedTest
    @ValueSource(
            doubles = {
                0,
                -1,
                Double.NaN,
                Double.POSITIVE_INFINITY,
                Double.MIN_VALUE,
                Float.MIN_VALUE,
                1e-39,
                1e39,
                Double.MAX_VALUE
            })
    void predivide_byWhatLeavesNoGradients_isRefused(double factor) {
        assertThatThrownBy(() -> Scaling.predivide(factor))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContainingAll("factor=" + factor, "least=", "most=");
    }

    @ParameterizedTest
    @ValueSource(doubles = {Predivide.LEAST, 0.5, 1, 3, Predivide.MOST})
    void predivide_byANormalNumber_multipliesByANormalNumber(double factor) {
        PreMulSum reduction = (PreMulSum) Scaling.predivide(factor).reduction(4);

        assertThat((float) reduction.factor()).isBetween(Float.MIN_NORMAL, Float.MAX_VALUE);
        assertThat((float) Scaling.predivide(factor).lastFactor(1)).isBetween(Float.MIN_NORMAL, Float.MAX_VALUE);
    }

    /** In a loader of its own, where nothing has been initialized yet. */
    @Test
    void constants_areThere_whicheverTypeIsTouchedFirst() throws Exception {
        for (String first : List.of("Scaling$Standard", "Scaling$Predivide", "Scaling", "BucketOptions")) {
            try (URLClassLoader fresh = new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader())) {
                String packageName = Scaling.class.getPackageName() + ".";
                Class.forName(packageName + first, true, fresh);
                Object sum =
                        fresh.loadClass(packageName + "Scaling").getField("SUM").get(null);
                assertThat(sum)
                        .as("after %s", first)
                        .isSameAs(fresh.loadClass(packageName + "Scaling$Standard")
                                .getEnumConstants()[0]);
            }
        }
    }

    private static URL[] classPath() throws MalformedURLException {
        List<URL> urls = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        return urls.toArray(URL[]::new);
    }
}
