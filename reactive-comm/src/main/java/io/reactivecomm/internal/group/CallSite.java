package io.reactivecomm.internal.group;

import io.reactivecomm.ProcessGroup;
import java.security.CodeSource;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The place of the program where a call is assembled: the first frame that is not the library's.
 *
 * <p>The library's are the classes of its own packages that lie where this one lies. Neither alone would do: programs may have packages that
 * begin like the library's, and a program that is packed into one file lies where the library lies.
 */
final class CallSite {

    /** Where it is of no account. */
    static final String NONE = "";

    /** By a class and not by text, so that it stays right where the library is relocated. */
    private static final String ROOT = ProcessGroup.class.getPackageName();

    private static final Set<String> PACKAGES = Stream.of(
                    "",
                    ".collective",
                    ".deepspeed",
                    ".device",
                    ".internal.backend",
                    ".internal.base",
                    ".internal.composite",
                    ".internal.driver",
                    ".internal.dump",
                    ".internal.engine",
                    ".internal.group",
                    ".internal.live",
                    ".internal.local",
                    ".internal.memory",
                    ".internal.observe",
                    ".internal.observe.jfr",
                    ".internal.schedule",
                    ".internal.schedule.choice",
                    ".internal.schedule.flat",
                    ".internal.schedule.hosts",
                    ".internal.stream",
                    ".internal.switches",
                    ".internal.timeline",
                    ".internal.train",
                    ".internal.transfer",
                    ".kernel",
                    ".observe",
                    ".recorder",
                    ".sequence",
                    ".spi",
                    ".spi.engine",
                    ".spi.link",
                    ".spi.rendezvous",
                    ".timeline",
                    ".train")
            .map(ROOT::concat)
            .collect(Collectors.toUnmodifiableSet());

    private static final String PLACE = place(CallSite.class);

    /** By class, since it takes an address as text to know: a stack has a dozen of ours, the same each time. */
    private static final ClassValue<Boolean> IS_OWN = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return PACKAGES.contains(type.getPackageName()) && PLACE.equals(place(type));
        }
    };

    private static final StackWalker WALKER = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    private CallSite() {}

    /** {@return the caller's place, or {@link #NONE} if nobody but the library is on the stack} */
    static String here() {
        return WALKER.walk(frames -> frames.filter(frame -> !IS_OWN.get(frame.getDeclaringClass()))
                .findFirst()
                .map(frame -> frame.getClassName() + "." + frame.getMethodName() + ":" + frame.getLineNumber())
                .orElse(NONE));
    }

    /** As text: comparing addresses may ask the network. */
    private static String place(Class<?> type) {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        return source == null || source.getLocation() == null
                ? ""
                : source.getLocation().toExternalForm();
    }

    /** {@return the packages whose frames are passed over} */
    static Set<String> packages() {
        return PACKAGES;
    }
}
