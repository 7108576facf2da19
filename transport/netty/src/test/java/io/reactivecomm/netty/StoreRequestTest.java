package io.reactivecomm.netty;

import io.reactivecomm.netty.internal.connection.TransportOptions;
import io.reactivecomm.spi.rendezvous.Rendezvous;
import java.util.AbstractList;
import java.util.Collection;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.test.StepVerifier;

/** Requests that cannot even be written: whoever waits for their answer is told. */
@Timeout(60)
class StoreRequestTest {

    /** Such as one that another thread changes meanwhile. */
    private static Collection<String> broken() {
        return new AbstractList<>() {
            @Override
            public String get(int index) {
                throw new IndexOutOfBoundsException("a key has gone");
            }

            @Override
            public int size() {
                return 2;
            }
        };
    }

    @Test
    void keys_thatCannotBeRead_failTheirRequest_andNothingElse() {
        try (MeshWorld world = new MeshWorld(TransportOptions.DEFAULT)) {
            Rendezvous store = world.connect(1).getFirst().rendezvous();

            StepVerifier.create(store.await(broken(), MeshWorld.PATIENCE))
                    .expectError(NoSuchElementException.class)
                    .verify(MeshWorld.PATIENCE);
            StepVerifier.create(store.check(broken()))
                    .expectError(NoSuchElementException.class)
                    .verify(MeshWorld.PATIENCE);
            StepVerifier.create(store.add("n", 1))
                    .expectNext(1L)
                    .expectComplete()
                    .verify(MeshWorld.PATIENCE);
        }
    }
}
