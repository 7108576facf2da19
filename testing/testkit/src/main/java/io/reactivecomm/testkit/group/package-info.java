/** Contracts of groups: their life, composite calls, scopes, claims, objects and observers. */
@NullMarked
package io.reactivecomm.testkit.group;

import org.jspecify.annotations.NullMarked;
