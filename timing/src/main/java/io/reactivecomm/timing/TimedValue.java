package io.reactivecomm.timing;

/** A value, and the figures of the calls until it came. */
public record TimedValue<T>(T value, CallFigures figures) {}
