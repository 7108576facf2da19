package io.reactivecomm.internal.schedule;

/**
 * A run of elements in one of the call's memories.
 *
 * @param from first element
 * @param count elements
 */
public record Span(Buffer buffer, long from, long count) {}
