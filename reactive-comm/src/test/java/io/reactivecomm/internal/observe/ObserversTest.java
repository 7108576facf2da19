package io.reactivecomm.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.observe.CommEvent;
import io.reactivecomm.observe.CommObserver;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who of several observers is told, how often, and what one of them can do to the others. */
class ObserversTest {

    private static final CommEvent EVENT = new CommEvent.PeerLost(0, 1, 1, "planted");

    private final List<String> told = new ArrayList<>();

    private CommObserver telling(String name) {
        return new CommObserver() {
            @Override
            public void happened(CommEvent event) {
                told.add(name);
            }
        };
    }

    private CommObserver throwing(Error error) {
        return new CommObserver() {
            @Override
            public void happened(CommEvent event) {
                throw error;
            }
        };
    }

    @Test
    void observerOfGroupAndWorld_hearsOnce() {
        CommObserver both = telling("both");
        Observers group = Observers.ofWorld(List.of(telling("world"), both)).ofGroup();
        group.add(both);
        group.tell(EVENT);
        assertThat(told).containsExactlyInAnyOrder("both", "world");
    }

    @Test
    void observerThatLacksAClass_isNobodyElsesError_andHearsNothingMore() {
        Observers world = Observers.ofWorld(List.of(throwing(new NoSuchMethodError("planted")), telling("next")));
        world.tell(EVENT);
        world.tell(EVENT);
        assertThat(told).containsExactly("next", "next");
    }

    @Test
    void whatIsWrongWithTheJvm_isThrown() {
        Observers world = Observers.ofWorld(List.of(throwing(new OutOfMemoryError("planted"))));
        assertThatThrownBy(() -> world.tell(EVENT)).isInstanceOf(OutOfMemoryError.class);
        world.tell(EVENT);
    }
}
