package io.reactivecomm.internal.base;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Providers of a service of which some cannot be loaded. */
class ProvidersTest {

    /** A service, with the providers that META-INF/services names: two that cannot be loaded, and a sound one behind them. */
    public interface Part {}

    /** One whose class cannot be initialized. */
    public static final class Unstartable implements Part {

        private static final int VALUE = Integer.parseInt("no number");

        @Override
        public String toString() {
            return "unstartable " + VALUE;
        }
    }

    /** A part without a fault. */
    public static final class Sound implements Part {}

    @Test
    void of_someCannotBeLoaded_givesTheOthersAndSaysWhy() {
        Providers<Part> providers = Providers.of(Part.class);
        assertThat(providers.loaded()).singleElement().isInstanceOf(Sound.class);
        assertThat(providers.failures()).hasSize(2);
        assertThat(providers.failuresText())
                .contains("Unstartable", "NumberFormatException", "no number", "Missing", "not found");
    }

    @Test
    void failuresText_allLoaded_isEmpty() {
        assertThat(Providers.of(Runnable.class).failuresText()).isEmpty();
    }
}
