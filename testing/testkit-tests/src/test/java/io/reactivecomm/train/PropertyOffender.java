package io.reactivecomm.train;

/** Breaks a rule of the house: settings are values, and no type looks them up. */
final class PropertyOffender {

    private PropertyOffender() {}

    static boolean isSet() {
        return Boolean.getBoolean("reactivecomm.train");
    }
}
