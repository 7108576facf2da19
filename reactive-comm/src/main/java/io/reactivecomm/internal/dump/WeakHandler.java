package io.reactivecomm.internal.dump;

import static java.lang.invoke.MethodType.methodType;

import java.lang.Thread.UncaughtExceptionHandler;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleProxies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.ref.WeakReference;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A default handler of uncaught exceptions that does not keep its class loader. The JVM never drops its default handler, but a server unloads
 * its programs. The handler that the JVM gets consists of the JDK's own classes alone, and refers to the library's handler weakly.
 *
 * <p>Once the library's handler has been collected, uncaught exceptions are handled as before it was installed.
 */
final class WeakHandler {

    private WeakHandler() {}

    /** {@return a handler that delegates to the first one while it is reachable, then to the second, or prints as the JVM does if that is null} */
    static UncaughtExceptionHandler of(UncaughtExceptionHandler handler, @Nullable UncaughtExceptionHandler otherwise) {
        try {
            return MethodHandleProxies.asInterfaceInstance(
                    UncaughtExceptionHandler.class, chosen(new WeakReference<>(handler), otherwise));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the JDK has no such method; this is a fault of the library", e);
        }
    }

    private static MethodHandle chosen(
            WeakReference<UncaughtExceptionHandler> handler, @Nullable UncaughtExceptionHandler otherwise)
            throws ReflectiveOperationException {
        Lookup lookup = MethodHandles.publicLookup();
        MethodHandle handling = lookup.findVirtual(
                UncaughtExceptionHandler.class,
                "uncaughtException",
                methodType(void.class, Thread.class, Throwable.class));
        MethodHandle referent = lookup.findVirtual(WeakReference.class, "get", methodType(Object.class))
                .bindTo(handler)
                .asType(methodType(UncaughtExceptionHandler.class));
        MethodHandle isThere = lookup.findStatic(Objects.class, "nonNull", methodType(boolean.class, Object.class))
                .asType(methodType(boolean.class, UncaughtExceptionHandler.class));
        MethodHandle rest = otherwise == null ? printing(lookup) : handling.bindTo(otherwise);
        // The referent is fetched once: it may be collected between two reads.
        MethodHandle eitherOne = MethodHandles.guardWithTest(
                isThere, handling, MethodHandles.dropArguments(rest, 0, UncaughtExceptionHandler.class));
        return MethodHandles.foldArguments(eitherOne, referent);
    }

    /** As the JVM does for a thread without a handler, but for the thread's name. */
    private static MethodHandle printing(Lookup lookup) throws ReflectiveOperationException {
        return MethodHandles.dropArguments(
                lookup.findVirtual(Throwable.class, "printStackTrace", methodType(void.class)), 0, Thread.class);
    }
}
