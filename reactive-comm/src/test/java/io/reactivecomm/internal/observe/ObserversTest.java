package io.reactivecomm.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.observe.CommEvent;
import io.reactivecomm.observe.CommObserver;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;

/** The observers of a world and its groups. */
class ObserversTest {

    private static final CommEvent LEFT = new CommEvent.WorldLeft(0, 5);

    private final Observers world = Observers.ofWorld(List.of());
    private final Observers first = world.ofGroup();
    private final Observers second = first.ofGroup();

    /** Keeps what happened. */
    private static final class Notes implements CommObserver {

        private final List<CommEvent> events = new ArrayList<>();

        @Override
        public void happened(CommEvent event) {
            events.add(event);
        }
    }

    @Test
    void whatConcernsTheWorld_isToldToEach_once() {
        Notes ofAll = new Notes();
        Notes ofTwo = new Notes();
        Notes gone = new Notes();
        world.add(ofAll);
        first.add(ofAll);
        first.add(ofTwo);
        second.add(ofTwo).dispose();
        second.add(gone).dispose();
        world.tellWorld(LEFT);
        assertThat(ofAll.events).containsExactly(LEFT);
        assertThat(ofTwo.events).containsExactly(LEFT);
        assertThat(gone.events).isEmpty();
        second.tellWorld(LEFT);
        assertThat(ofTwo.events).hasSize(2);
    }

    /** While it is not, nobody hears comparisons of clocks. */
    @Test
    void world_isObserved_asLongAsOneOfItsGroupsIs() {
        assertThat(second.areInWorld()).isFalse();
        Disposable observing = first.add(new Notes());
        assertThat(second.areInWorld()).isTrue();
        assertThat(world.areInWorld()).isTrue();
        observing.dispose();
        observing.dispose();
        assertThat(second.areInWorld()).isFalse();
        Disposable ofWorld = world.add(new Notes());
        assertThat(second.areInWorld()).isTrue();
        ofWorld.dispose();
        assertThat(second.areInWorld()).isFalse();
    }
}
