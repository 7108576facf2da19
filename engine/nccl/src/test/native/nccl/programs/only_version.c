/* A library that has a version of NCCL's and nothing else. */
int ncclGetVersion(int *version) {
    *version = 100;
    return 0;
}
