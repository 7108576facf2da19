package io.reactivecomm.train;

import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Breaks a rule of the house: without an slf4j provider its warnings are lost. */
final class LostWarningOffender {

    private static final Logger LOG = LoggerFactory.getLogger(LostWarningOffender.class);

    private LostWarningOffender() {}

    static void warn(List<String> warnings) {
        warnings.forEach(LOG::warn);
    }
}
