package io.reactivecomm.rcomm.gpu.check;

import java.io.IOException;
import java.util.Map;

/** One row of the check, before it is run. */
public interface Check {

    /** {@return the name of the row} */
    String name();

    /** {@return what the row may be quoted for, and what not} */
    String claim();

    /**
     * {@return what was measured, by name}
     *
     * @throws SkippedCheck if something that it needs is not on this machine
     * @throws RuntimeException if something does not do what it should
     */
    Map<String, Object> measure(Machine machine) throws SkippedCheck, IOException;
}
