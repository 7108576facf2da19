package io.reactivecomm.internal.base;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.slf4j.ILoggerFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.FormattingTuple;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.helpers.NOPLoggerFactory;

/**
 * The loggers of {@link io.reactivecomm.spi.WarningLog}, whose rule they serve, for packages below that one.
 *
 * <p><b>Threads.</b> Any.
 */
public final class Warnings {

    private static final String HINT =
            "Reactive Comm: there is no slf4j provider, so its log is lost; warnings and errors"
                    + " come here. Add a provider, such as logback-classic or slf4j-simple, or slf4j-nop for silence";

    private static final boolean IS_LOST = isLost();

    static {
        if (IS_LOST) {
            print(HINT);
        }
    }

    private Warnings() {}

    /** {@return the logger of a class} */
    public static Logger of(Class<?> type) {
        return IS_LOST ? toStandardError(type.getSimpleName()) : LoggerFactory.getLogger(type);
    }

    /** Both generations of slf4j use this factory without a provider. A provider is recognised by its service file, or before slf4j 2.0 by a class. */
    private static boolean isLost() {
        ILoggerFactory factory = LoggerFactory.getILoggerFactory();
        if (!(factory instanceof NOPLoggerFactory)) {
            return false;
        }
        boolean hasProviders = hasResource("org/slf4j/spi/SLF4JServiceProvider.class");
        return !hasResource(
                hasProviders
                        ? "META-INF/services/org.slf4j.spi.SLF4JServiceProvider"
                        : "org/slf4j/impl/StaticLoggerBinder.class");
    }

    private static boolean hasResource(String name) {
        ClassLoader loader = LoggerFactory.class.getClassLoader();
        return (loader == null ? ClassLoader.getSystemResource(name) : loader.getResource(name)) != null;
    }

    /** A proxy, because slf4j's base classes differ between its generations and its interface has sixty methods. */
    private static Logger toStandardError(String name) {
        return (Logger) Proxy.newProxyInstance(
                Warnings.class.getClassLoader(),
                new Class<?>[] {Logger.class},
                (proxy, method, arguments) -> answer(proxy, name, method, arguments));
    }

    private static @Nullable Object answer(Object proxy, String name, Method method, Object @Nullable [] arguments) {
        return switch (method.getName()) {
            case "getName", "toString" -> name;
            case "warn", "error" -> {
                print("Reactive Comm: " + text(arguments == null ? new Object[0] : arguments));
                yield null;
            }
            case "isWarnEnabled", "isErrorEnabled" -> true;
            case "equals" -> arguments != null && proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            default -> method.getReturnType() == boolean.class ? false : null;
        };
    }

    /** {@return a formatted message, in one line} */
    private static String text(Object[] given) {
        int from = given.length > 0 && given[0] instanceof String ? 0 : 1;
        if (from >= given.length) {
            return "";
        }
        boolean isArray = given.length == from + 2 && given[from + 1] instanceof Object[];
        Object[] arguments = isArray ? (Object[]) given[from + 1] : Arrays.copyOfRange(given, from + 1, given.length);
        FormattingTuple formatted = MessageFormatter.arrayFormat(String.valueOf(given[from]), arguments);
        Throwable cause = formatted.getThrowable();
        return formatted.getMessage() + (cause == null ? "" : ", cause=" + ErrorTexts.describe(cause));
    }

    private static void print(String line) {
        System.err.println(line);
    }
}
