/**
 * The matrix of faults: what goes wrong with a rank or its network, in each phase of a job, over each transport, and what the other ranks
 * see of it.
 *
 * <p>{@link io.reactivecomm.testkit.faults.FaultMatrix} has the cells and {@link io.reactivecomm.testkit.faults.Expectations} what each
 * must end in. {@link io.reactivecomm.testkit.faults.MatrixRunner} starts {@linkplain io.reactivecomm.testkit.faults.CellProgram ranks} as
 * processes, does something to one of them and measures; {@link io.reactivecomm.testkit.faults.MatrixPage} is the result as
 * docs/reliability.md shows it.
 */
@NullMarked
package io.reactivecomm.testkit.faults;

import org.jspecify.annotations.NullMarked;
