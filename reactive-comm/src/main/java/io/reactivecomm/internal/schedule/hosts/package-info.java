/** The algorithms that go by hosts: what crosses from one to another crosses once, however many ranks they have. */
@NullMarked
package io.reactivecomm.internal.schedule.hosts;

import org.jspecify.annotations.NullMarked;
