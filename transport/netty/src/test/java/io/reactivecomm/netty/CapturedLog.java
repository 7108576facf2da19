package io.reactivecomm.netty;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** The warnings of one class while a test runs, kept off the console. */
public final class CapturedLog extends AppenderBase<ILoggingEvent> implements AutoCloseable {

    private final Logger logger;
    private final List<String> lines = new CopyOnWriteArrayList<>();

    private CapturedLog(Class<?> source) {
        logger = (Logger) LoggerFactory.getLogger(source);
        logger.addAppender(this);
        logger.setAdditive(false);
        start();
    }

    public static CapturedLog of(Class<?> source) {
        return new CapturedLog(source);
    }

    public List<String> lines() {
        return lines;
    }

    @Override
    protected void append(ILoggingEvent event) {
        if (event.getLevel().isGreaterOrEqual(Level.WARN)) {
            lines.add(event.getFormattedMessage());
        }
    }

    @Override
    public void close() {
        logger.detachAppender(this);
        logger.setAdditive(true);
    }
}
