/**
 * A device that is none: its memory has addresses which mean nothing to the host, and what it is to do is done later. What passes its contracts here
 * touches elements where they are, and waits for a device where it has to: {@link io.reactivecomm.testkit.device.FakeProvider}.
 */
@NullMarked
package io.reactivecomm.testkit.device;

import org.jspecify.annotations.NullMarked;
