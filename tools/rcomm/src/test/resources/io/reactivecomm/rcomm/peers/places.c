/*
 * Writes what MPI says of this rank's place, then becomes a program in the same environment.
 *
 *   places FILES PROGRAM ARGUMENTS...    the file is FILES followed by the rank
 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

/* MPI_UNDEFINED is what others call -1. */
static int rank_in(MPI_Group group, MPI_Group world, int global_rank) {
    int rank;
    MPI_Group_translate_ranks(world, 1, &global_rank, group, &rank);
    return rank == MPI_UNDEFINED ? -1 : rank;
}

static void write_ranks(FILE *file, const char *name, MPI_Group group, MPI_Group world, int size, int beyond) {
    fprintf(file, "\nranks of the %s [", name);
    /* MPI refuses a rank that the world has not, which is -1 elsewhere. */
    for (int i = -beyond; i < size + beyond; i++) fprintf(file, i == -beyond ? "%d" : ", %d", i < 0 || i >= size ? -1 : rank_in(group, world, i));
    fprintf(file, "]");
}

int main(int argc, char **argv) {
    int rank, size, local_rank, local_size, host_rank, host_count, pair_rank;
    int members[] = {0, 2};
    char name[4096];
    MPI_Comm local, leaders;
    MPI_Group world, pair;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &local);
    MPI_Comm_rank(local, &local_rank);
    MPI_Comm_size(local, &local_size);
    MPI_Comm_split(MPI_COMM_WORLD, local_rank == 0, rank, &leaders);
    MPI_Comm_rank(leaders, &host_rank);
    MPI_Comm_size(leaders, &host_count);
    MPI_Bcast(&host_rank, 1, MPI_INT, 0, local);
    MPI_Bcast(&host_count, 1, MPI_INT, 0, local);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, members, &pair);
    MPI_Group_rank(pair, &pair_rank);
    snprintf(name, sizeof name, "%s%d", argv[1], rank);
    FILE *file = fopen(name, "w");
    if (file == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
    fprintf(file, "world %d of %d\nhost %d of %d, %d of %d\n", rank, size, local_rank, local_size, host_rank, host_count);
    fprintf(file, "pair %d", pair_rank == MPI_UNDEFINED ? -1 : pair_rank);
    if (pair_rank != MPI_UNDEFINED) write_ranks(file, "pair", pair, world, size, 1);
    write_ranks(file, "world", world, world, size, 0);
    fclose(file);
    MPI_Finalize();
    execv(argv[2], argv + 2);
    return 1;
}
