package io.reactivecomm.hook;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.hook.HookOpenings.Entry;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HookOpeningsTest {

    private final HookOpenings hooks = new HookOpenings(2);
    private final List<String> events = new ArrayList<>();

    private void nextComes() {
        if (!hooks.holdUp(() -> events.add("next"))) {
            events.add("next");
        }
    }

    @Test
    void next_waitsForAHookThatIsBeingSubscribedTo() {
        nextComes();
        assertThat(events).as("it has not begun itself").isEmpty();
        assertThat(hooks.begins(2, false)).isEqualTo(Entry.FIRST);
        assertThat(events).isEmpty();
        assertThat(hooks.begins(1, false)).isEqualTo(Entry.FIRST);
        assertThat(events).as("one is open, the other at it").isEmpty();
        assertThat(hooks.begins(0, false)).isEqualTo(Entry.AGAIN);
        assertThat(events).containsExactly("next");
        hooks.returned(1);
        hooks.returned(2);
        nextComes();
        assertThat(events).containsExactly("next", "next");
    }

    /** Another thread is in front of its opening still. */
    @Test
    void next_waitsForAHook_althoughThatInFrontIsLeft() {
        hooks.begins(2, false);
        assertThat(hooks.end()).containsExactly(1);
        nextComes();
        hooks.begins(1, true);
        hooks.returned(1);
        hooks.left();
        assertThat(events).isEmpty();
        hooks.returned(2);
        assertThat(events).containsExactly("next");
    }

    /** They would take the next step's place. */
    @Test
    void next_waitsForThoseThatAreLeft() {
        hooks.begins(2, false);
        hooks.returned(2);
        assertThat(hooks.end()).containsExactly(1);
        nextComes();
        assertThat(hooks.begins(1, true)).isEqualTo(Entry.FIRST);
        hooks.returned(1);
        assertThat(events).isEmpty();
        hooks.left();
        assertThat(events).containsExactly("next");
    }

    @Test
    void hook_afterTheEnd_isOnlyLeft_andOnce() {
        assertThat(hooks.end()).containsExactly(1, 2);
        assertThat(hooks.begins(2, false)).isEqualTo(Entry.LATE);
        assertThat(hooks.begins(2, true)).isEqualTo(Entry.FIRST);
        assertThat(hooks.begins(2, true)).isEqualTo(Entry.LATE);
    }

    @Test
    void hook_whoseSubscriptionThrewAfterTheEnd_isLeft_beforeTheNext() {
        hooks.begins(2, false);
        hooks.begins(1, false);
        assertThat(hooks.end()).isEmpty();
        hooks.left();
        nextComes();
        assertThat(hooks.threw(1)).isTrue();
        assertThat(hooks.begins(1, true)).isEqualTo(Entry.FIRST);
        hooks.returned(1);
        assertThat(events).isEmpty();
        hooks.left();
        assertThat(events).containsExactly("next");
    }

    @Test
    void hook_whoseSubscriptionThrew_isLeftOut_unlessItWasOpen() {
        hooks.begins(2, false);
        hooks.begins(1, false);
        hooks.threw(1);
        hooks.threw(2);
        assertThat(hooks.end()).containsExactly(1);
    }

    /** It might be the first to reach what reduces, or the last: the next step's place is safe only if there is one. */
    @Test
    void secondThreadAtAHook_isRefused_andTheNextWaitsForTheFirst() throws InterruptedException {
        assertThat(hooks.begins(2, false)).isEqualTo(Entry.FIRST);
        Thread other = Thread.ofPlatform()
                .start(() -> events.add(hooks.begins(2, false).name()));
        other.join();
        assertThat(events).containsExactly("BESIDE");
        assertThat(hooks.end()).containsExactly(1);
        nextComes();
        hooks.left();
        assertThat(events).containsExactly("BESIDE");
        hooks.returned(2);
        assertThat(events).containsExactly("BESIDE", "next");
    }

    @Test
    void secondSubscription_onTheThreadOfTheFirst_orAfterIt_isTheOperatorsMatter() {
        assertThat(hooks.begins(2, false)).isEqualTo(Entry.FIRST);
        assertThat(hooks.begins(2, false)).isEqualTo(Entry.AGAIN);
        hooks.returned(2);
        assertThat(hooks.begins(2, false)).isEqualTo(Entry.AGAIN);
        nextComes();
        assertThat(events).containsExactly("next");
    }
}
