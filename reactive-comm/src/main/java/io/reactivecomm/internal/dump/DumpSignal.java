package io.reactivecomm.internal.dump;

import io.reactivecomm.internal.base.Causes;
import io.reactivecomm.internal.base.ErrorTexts;
import io.reactivecomm.spi.WarningLog;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The signal by which ranks are asked for dumps: USR1, since HotSpot stops threads with USR2. It is caught while there is a rank that writes dumps, and
 * whoever had it before is told of it too.
 *
 * <p>By reflection: {@code sun.misc.Signal} is the only way to catch one, and not all runtimes have it.
 */
final class DumpSignal {

    private static final Logger LOG = WarningLog.of(DumpSignal.class);
    private static final String NAME = "USR1";

    private static final List<RankDumps> RANKS = new ArrayList<>();
    private static @Nullable Object before;

    private DumpSignal() {}

    static synchronized void add(RankDumps rank) {
        if (RANKS.isEmpty()) {
            try {
                before = handle(handler());
            } catch (ReflectiveOperationException | IllegalArgumentException e) {
                LOG.warn(
                        "no dumps can be asked for by signal: signal={}, cause={}; ask for them in the program, by"
                                + " group.dump",
                        NAME,
                        e.toString());
            }
        }
        RANKS.add(rank);
    }

    static synchronized void remove(RankDumps rank) {
        if (RANKS.remove(rank) && RANKS.isEmpty() && before != null) {
            try {
                handle(before);
            } catch (ReflectiveOperationException | IllegalArgumentException e) {
                LOG.warn("the signal for dumps could not be given back: signal={}, cause={}", NAME, e.toString());
            }
            before = null;
        }
    }

    private static synchronized List<RankDumps> ranks() {
        return List.copyOf(RANKS);
    }

    private static synchronized @Nullable Object before() {
        return before;
    }

    /** Sets who takes the signal. {@return who took it} */
    private static @Nullable Object handle(Object handler) throws ReflectiveOperationException {
        Class<?> type = Class.forName("sun.misc.Signal");
        Method handle = type.getMethod("handle", type, Class.forName("sun.misc.SignalHandler"));
        try {
            return handle.invoke(null, type.getConstructor(String.class).newInstance(NAME), handler);
        } catch (InvocationTargetException e) {
            // The system has no such signal, or somebody holds it for good.
            throw new IllegalArgumentException(e.getCause());
        }
    }

    private static Object handler() throws ClassNotFoundException {
        Class<?> type = Class.forName("sun.misc.SignalHandler");
        return Proxy.newProxyInstance(
                DumpSignal.class.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "handle" -> taken(arguments[0]);
                    case "equals" -> proxy == arguments[0];
                    case "hashCode" -> System.identityHashCode(proxy);
                    default -> "the signal for dumps";
                });
    }

    /** On a thread of the JVM's that is there for this signal alone. */
    private static @Nullable Object taken(Object signal) throws ReflectiveOperationException {
        ranks().forEach(rank -> rank.signalled(NAME));
        Object other = before();
        Class<?> type = Class.forName("sun.misc.SignalHandler");
        boolean isProgram = other != null
                && other != type.getField("SIG_DFL").get(null)
                && other != type.getField("SIG_IGN").get(null);
        if (isProgram) {
            tell(Objects.requireNonNull(other), type.getMethod("handle", Class.forName("sun.misc.Signal")), signal);
        }
        return null;
    }

    /** A library's own handler is no Java, and cannot be called. */
    private static void tell(Object other, Method handle, Object signal) throws ReflectiveOperationException {
        try {
            handle.invoke(other, signal);
        } catch (InvocationTargetException e) {
            LOG.warn(
                    "who has taken the signal before cannot be told of it: signal={}, cause={}",
                    NAME,
                    ErrorTexts.describe(Causes.first(e)));
        }
    }
}
