/**
 * The JDK's flight recorder hears of calls: its events, and the observer that writes them while a recording asks for one of them. Only {@link
 * io.reactivecomm.internal.observe.jfr.Recordings} is touched before, so that a Java runtime without the recorder does as well.
 */
@NullMarked
package io.reactivecomm.internal.observe.jfr;

import org.jspecify.annotations.NullMarked;
