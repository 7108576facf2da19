package io.reactivecomm.compression.reduce;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.compression.OneBit;
import io.reactivecomm.testkit.ConnectedWorlds;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Compressed all-reduces over all transports, and what needs none. */
class CompressedAllReduceTest {

    @Nested
    class Local extends CompressedAllReduceContract {

        @Override
        public World open(int size) {
            return World.of(ReactiveComm.local(size));
        }
    }

    @Nested
    class Tcp extends CompressedAllReduceContract implements ConnectedWorlds {

        @Override
        public String transport() {
            return "tcp";
        }
    }

    @Nested
    @Tag("thorough")
    class SharedMemory extends CompressedAllReduceContract implements ConnectedWorlds {

        @Override
        public String transport() {
            return "shm";
        }
    }

    @Test
    void bytesThatAreNoSnapshot_areRefused() {
        byte[] sound = new CompressionSnapshot(Map.of()).toBytes();
        byte[] damaged = sound.clone();
        damaged[9]++;
        for (byte[] bytes : new byte[][] {{}, new byte[100], damaged}) {
            assertThatThrownBy(() -> CompressionSnapshot.of(bytes)).isInstanceOf(InvalidCallException.class).hasMessageContaining("toBytes()");
        }
    }

    @Test
    void negativeWarmUp_isRefused() {
        assertThatThrownBy(() -> CompressionOptions.inTwoSteps(new OneBit()).withWarmUp(-1)).isInstanceOf(InvalidCallException.class);
    }
}
