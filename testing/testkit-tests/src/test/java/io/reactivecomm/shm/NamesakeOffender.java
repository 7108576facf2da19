package io.reactivecomm.shm;

/** A type that shares its simple name with one of another package, which a rule forbids. */
final class NamesakeOffender {}
