/**
 * Process groups over links: what a program calls becomes one submission.
 *
 * <p>A call is checked once, gets its identity when it is assembled, and at each subscription borrows its tensors and finds its schedule; views,
 * streams, objects and the making of further groups are made of calls. May touch the engine only by handing it submissions and by asking it to
 * end groups ({@code RankDriver}); knows no link, no partner and no step.
 */
@NullMarked
package io.reactivecomm.internal.group;

import org.jspecify.annotations.NullMarked;
