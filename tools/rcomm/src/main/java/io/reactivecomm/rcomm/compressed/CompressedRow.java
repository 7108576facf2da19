package io.reactivecomm.rcomm.compressed;

/**
 * One measurement, with the names that the JSON has. A call's time is that of the rank where it took longest, from a barrier on.
 *
 * @param codec how elements travelled
 * @param ranks how many took part
 * @param bytes of the tensor on each rank, float32
 * @param links how the ranks were linked
 * @param medianMicros the median over rounds of the mean time of a call, in microseconds
 * @param minMicros the least of these means
 * @param maxMicros the greatest
 * @param wireBytes what the rank that sent most sent in a call, headers and all; the median of calls
 * @param plainMicros the median time of the plain all-reduce, in the same rounds
 * @param plainWireBytes what the rank that sent most sent in one
 * @param speedUp plainMicros / medianMicros
 * @param errors wrong elements over all ranks in all calls that were measured and in first steps before and after, plus calls whose results differed
 *     between ranks
 */
record CompressedRow(
        String codec,
        int ranks,
        long bytes,
        String links,
        double medianMicros,
        double minMicros,
        double maxMicros,
        long wireBytes,
        double plainMicros,
        long plainWireBytes,
        double speedUp,
        long errors) {}
