/** Jobs of an installed MPI: its mpirun starts the ranks, each a process. */
@NullMarked
package io.reactivecomm.mpi.job;

import org.jspecify.annotations.NullMarked;
