package io.reactivecomm.spi.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The look-up of device memory on a class path with a provider that cannot be loaded. */
class RankMemoryProviderTest {

    /** A provider of a kind of its own, listed behind one that is missing. */
    public static final class Sound implements RankMemoryProvider {

        @Override
        public String kind() {
            return "sound";
        }

        @Override
        public RankMemory open(EngineContext context) {
            throw new UnsupportedOperationException("no memory is opened here");
        }
    }

    @Test
    void of_anotherProviderCannotBeLoaded_findsTheSoundOne() {
        assertThat(RankMemoryProvider.of("sound")).isInstanceOf(Sound.class);
    }

    @Test
    void of_kindWithoutProvider_isNull_andTheOneLeftOutIsNamed() {
        assertThat(RankMemoryProvider.of("cuda")).isNull();
        assertThat(RankMemoryProvider.leftOut()).contains("leftOut=", "RankMemoryProviderTest$Missing not found");
    }
}
