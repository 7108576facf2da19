package io.reactivecomm.backend;

import io.reactivecomm.spi.engine.Formation;

/** The strict double as a library that splits groups from others. */
public final class SplittingProvider extends StrictProvider {

    @Override
    public String name() {
        return "splitting";
    }

    @Override
    Formation formation() {
        return Formation.PARENT;
    }
}
