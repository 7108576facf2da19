package io.reactivecomm.spi;

import io.reactivecomm.internal.base.ErrorTexts;
import io.reactivecomm.internal.base.Warnings;
import org.slf4j.Logger;

/**
 * Loggers of classes that warn. They are slf4j loggers. Without a provider, slf4j drops all messages. Warnings and errors then go to standard error, and the first
 * such logger prints one line that says so.
 *
 * <p><b>The rule.</b> Each class of the library, of a transport or of an engine that logs a warning or an error gets its logger here: a warning is for the user, who
 * may have no provider. A message that users need not see is of the level info or below, which is lost without a provider. A rule of the house checks this.
 *
 * <p>A provider that drops everything, such as slf4j-nop, is respected: nothing is printed.
 *
 * <p><b>Threads.</b> Any.
 */
public final class WarningLog {

    private WarningLog() {}

    /** {@return the logger of a class} */
    public static Logger of(Class<?> type) {
        return Warnings.of(type);
    }

    /**
     * {@return an error for a logger to print: the given one, or one with its type and its stack if a text of it cannot be read} An error may be the program's own, whose
     * methods throw in turn, and loggers do not catch that.
     */
    public static Throwable printable(Throwable error) {
        return ErrorTexts.printable(error);
    }
}
