package io.reactivecomm.shm;

/** A type of another transport's, for offenders to name. */
public final class OtherTransport {}
