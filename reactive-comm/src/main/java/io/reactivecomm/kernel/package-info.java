/**
 * The element-wise loops: fold, convert. No checks, no allocation and no I/O; what calls them has checked. Depends on the root
 * package only.
 */
@NullMarked
package io.reactivecomm.kernel;

import org.jspecify.annotations.NullMarked;
