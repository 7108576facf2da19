package io.reactivecomm.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.observe.CommEvent;
import io.reactivecomm.observe.CommObserver;
import io.reactivecomm.observe.ContextObservers;
import io.reactivecomm.observe.ObservedCall;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.util.context.Context;

/** Several observers: who of them is told, how often, and what one of them can do to the others. */
class ListenerTest {

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

    private CommObserver throwing(Throwable error) {
        return new CommObserver() {
            @Override
            public void happened(CommEvent event) {
                throw Sneaky.of(error);
            }
        };
    }

    /** A thrower of checked exceptions where none are declared, as code of other languages of the JVM does. */
    private static final class Sneaky {

        @SuppressWarnings("unchecked")
        private static <T extends Throwable> RuntimeException of(Throwable error) throws T {
            throw (T) error;
        }
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
    void observerThatIsAddedTwice_hearsTwice_untilOneIsDisposedOf() {
        CommObserver observer = telling("it");
        Observers group = Observers.ofWorld(List.of(observer)).ofGroup();
        group.add(observer);
        Disposable second = group.add(observer);
        group.tell(EVENT);
        assertThat(told).containsExactly("it", "it");
        second.dispose();
        group.tell(EVENT);
        assertThat(told).hasSize(3);
    }

    @Test
    void observerThatLacksAClass_isNobodyElsesError_andHearsNothingMore() {
        Observers world = Observers.ofWorld(List.of(throwing(new NoSuchMethodError("planted")), telling("next")));
        world.tell(EVENT);
        world.tell(EVENT);
        assertThat(told).containsExactly("next", "next");
    }

    @Test
    void whateverAnObserverThrows_othersAreTold() {
        Stream.of(new OutOfMemoryError("planted"), new StackOverflowError("planted"), new IOException("planted"))
                .map(this::throwing)
                .forEach(each ->
                        Observers.ofWorld(List.of(each, telling("next"))).tell(EVENT));
        assertThat(told).containsExactly("next", "next", "next");
    }

    /** A log asks it for its message, and more. */
    @Test
    void observerThatThrowsWhatCannotBeLogged_isNobodyElsesError_andHearsNothingMore() {
        RuntimeException untellable = new RuntimeException() {
            @Override
            public String getMessage() {
                throw new IllegalStateException("planted");
            }
        };
        Observers world = Observers.ofWorld(List.of(throwing(untellable), telling("next")));
        world.tell(EVENT);
        world.tell(EVENT);
        assertThat(told).containsExactly("next", "next");
    }

    /** Each call under a Context finds it anew. */
    @Test
    void observerOfAContext_thatThrowsWhatIsNotDeclared_hearsNothingMore() {
        CommObserver throwing = new CommObserver() {
            @Override
            public void firstByte(ObservedCall call, long nanos) {
                told.add("first byte");
                throw Sneaky.of(new IOException("planted"));
            }
        };
        CommObserver carried = ContextObservers.in(ContextObservers.put(Context.empty(), throwing))
                .getFirst();
        ObservedCall call = (ObservedCall) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {ObservedCall.class}, (_, _, _) -> null);
        assertThatThrownBy(() -> carried.firstByte(call, 1)).isInstanceOf(IOException.class);
        carried.firstByte(call, 2);
        assertThat(told).containsExactly("first byte");
    }

    @Test
    void observerThatThrowsAsItIsAsked_hearsNothing() {
        CommObserver refusing = new CommObserver() {
            @Override
            public boolean wantsCallSites() {
                throw new IllegalStateException("planted");
            }

            @Override
            public void happened(CommEvent event) {
                told.add("refusing");
            }
        };
        Observers.ofWorld(List.of(refusing, telling("next"))).tell(EVENT);
        assertThat(told).containsExactly("next");
    }
}
