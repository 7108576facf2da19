package io.reactivecomm.internal.observe;

import io.reactivecomm.internal.observe.jfr.Recordings;
import io.reactivecomm.observe.CommEvent;
import io.reactivecomm.observe.CommObserver;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;

/**
 * The observers of one group, and behind them those of its world, which hear of all its groups. Nearly always there are none, which costs a call two reads.
 * While the JDK's flight recorder asks for calls it is one more.
 *
 * <p><b>Threads.</b> Any.
 */
public final class Observers {

    private static final Listener[] NOBODY = {};

    /** Those that hear of all groups; null where these are those. */
    private final @Nullable Observers world;

    /** Whether recordings are to have its calls: they are a program's. */
    private final boolean isRecorded;

    private volatile Listener[] own = NOBODY;

    /** Of a world: who observes its groups, in how many places. It hears of the end also where its group is forgotten. */
    private final Map<CommObserver, Integer> ofGroups = new IdentityHashMap<>();

    private volatile boolean hasOfGroups;

    private Observers(@Nullable Observers world, boolean isRecorded) {
        this.world = world;
        this.isRecorded = isRecorded;
    }

    /** The JDK's flight recorder, which is in no list: it comes and goes by itself. */
    private static final class Recorder {

        private static final Listener[] ALONE = {new Listener(Recordings.observer(), none())};
    }

    /** {@return those of a group whose calls are the library's own affair: nobody hears of them, nor are they recorded} */
    public static Observers none() {
        return new Observers(null, false);
    }

    /** {@return those of a world} */
    public static Observers ofWorld(List<CommObserver> observers) {
        Observers world = new Observers(null, true);
        observers.forEach(world::add);
        return world;
    }

    /** {@return those of a group in the same world; it has none of its own} */
    public Observers ofGroup() {
        return new Observers(world == null ? this : world, isRecorded);
    }

    /** {@return those of a view: who hears of the view that it was made of, and one more} @param before those of that view, or null */
    public static Observers ofView(@Nullable Observers before, CommObserver observer) {
        Observers view = none();
        Listener one = new Listener(observer, view);
        view.own = together(before == null ? NOBODY : before.own, one);
        return view;
    }

    /** {@return listeners, and others who are not among them} */
    static Listener[] together(Listener[] known, Observers others) {
        Listener[] all = known;
        for (Listener each : others.all()) {
            all = together(all, each);
        }
        return all;
    }

    /** {@return the same, with observers who are nowhere else} */
    static Listener[] together(Listener[] known, List<CommObserver> others) {
        Listener[] all = known;
        for (CommObserver each : others) {
            all = together(all, new Listener(each, none()));
        }
        return all;
    }

    private static Listener[] together(Listener[] known, Listener one) {
        boolean isKnown = Arrays.stream(known).anyMatch(each -> each.isOf(one));
        return isKnown ? known : joined(known, new Listener[] {one});
    }

    /** {@return whether one of them wants to know where calls are assembled} */
    public boolean wantCallSites() {
        for (Listener each : all()) {
            if (each.wantsCallSites()) {
                return true;
            }
        }
        return false;
    }

    /** {@return what ends its hearing} Of calls that were subscribed to before it hears nothing. */
    public Disposable add(CommObserver observer) {
        Listener listener = new Listener(observer, this);
        if (world != null) {
            world.know(listener.observer());
        }
        synchronized (this) {
            Listener[] more = Arrays.copyOf(own, own.length + 1);
            more[own.length] = listener;
            own = more;
        }
        return listener;
    }

    void remove(Listener listener) {
        boolean isFirst;
        synchronized (this) {
            Listener[] less =
                    Arrays.stream(own).filter(each -> each != listener).toArray(Listener[]::new);
            isFirst = less.length < own.length;
            own = less;
        }
        if (isFirst && world != null) {
            world.forget(listener.observer());
        }
    }

    private synchronized void know(CommObserver ofGroup) {
        ofGroups.merge(ofGroup, 1, Integer::sum);
        hasOfGroups = true;
    }

    private synchronized void forget(CommObserver ofGroup) {
        ofGroups.computeIfPresent(ofGroup, (_, places) -> places == 1 ? null : places - 1);
        hasOfGroups = !ofGroups.isEmpty();
    }

    private synchronized List<CommObserver> ofGroups() {
        return List.copyOf(ofGroups.keySet());
    }

    /** {@return all that hear of a call of the group now} */
    Listener[] all() {
        return isRecorded && Recordings.areOfCalls() ? joined(listed(), Recorder.ALONE) : listed();
    }

    /** An observer of the group and of its world hears once. */
    private Listener[] listed() {
        Listener[] mine = own;
        Listener[] worlds = world == null ? NOBODY : world.own;
        if (mine.length == 0 || worlds.length == 0) {
            return mine.length == 0 ? worlds : mine;
        }
        Listener[] all = mine;
        for (Listener each : worlds) {
            all = together(all, each);
        }
        return all;
    }

    private boolean isListed() {
        return own.length > 0 || (world != null && world.own.length > 0);
    }

    private static Listener[] joined(Listener[] one, Listener[] other) {
        Listener[] both = Arrays.copyOf(one, one.length + other.length);
        System.arraycopy(other, 0, both, one.length, other.length);
        return both;
    }

    /** {@return whether nobody hears of the group's calls} */
    public boolean isEmpty() {
        return !isListed() && !(isRecorded && Recordings.areOfCalls());
    }

    /** {@return whether somebody hears of what is none of a call's} */
    public boolean hearEvents() {
        return isListed() || (isRecorded && Recordings.areOfEvents());
    }

    /** {@return whether anybody but the JDK's flight recorder hears of anything in the world, whichever group it observes} */
    public boolean areInWorld() {
        Observers top = world == null ? this : world;
        return top.own.length > 0 || top.hasOfGroups;
    }

    /** Tells all that hear of the group. */
    public void tell(CommEvent event) {
        tell(isRecorded && Recordings.areOfEvents() ? joined(listed(), Recorder.ALONE) : listed(), event);
    }

    /** Tells those of the group alone. */
    public void tellOwn(CommEvent event) {
        tell(own, event);
    }

    /** Tells all that hear of anything in the world, whichever group they observe, and each once. */
    public void tellWorld(CommEvent event) {
        Observers top = world == null ? this : world;
        Listener[] ofWorld = top.all();
        tell(ofWorld, event);
        Set<CommObserver> told = Collections.newSetFromMap(new IdentityHashMap<>());
        Arrays.stream(ofWorld).map(Listener::observer).forEach(told::add);
        for (CommObserver each : top.ofGroups()) {
            if (told.add(each)) {
                new Listener(each, none()).happened(event);
            }
        }
    }

    private static void tell(Listener[] listeners, CommEvent event) {
        for (Listener listener : listeners) {
            listener.happened(event);
        }
    }
}
