/** The algorithms that know no hosts: any two ranks are as near to each other as any other two. */
@NullMarked
package io.reactivecomm.internal.schedule.flat;

import org.jspecify.annotations.NullMarked;
