package io.reactivecomm.rcomm.gpu.check;

import io.reactivecomm.nccl.NcclProbe;
import io.reactivecomm.nccl.cuda.CudaStream;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Messages of a rank that is alone to itself: each is a send and a receive, which have to be in one group. The program in C does the same.
 *
 * <p><b>Threads.</b> The device's own.
 */
final class Pairs implements AutoCloseable {

    private final NcclProbe nccl;
    private final CudaStream stream;
    private final int count;
    private final int words;
    private final DeviceBlock from;
    private final DeviceBlock to;
    private final long comm;
    private final int[] sent;

    Pairs(NcclProbe nccl, CudaStream stream, CheckSizes sizes) {
        this.nccl = nccl;
        this.stream = stream;
        count = sizes.pairs();
        words = sizes.pairBytes() / Integer.BYTES;
        sent = IntStream.range(1, count * words + 1).toArray();
        from = new DeviceBlock(count * sizes.pairBytes());
        to = new DeviceBlock(count * sizes.pairBytes());
        from.write(sent);
        to.write(new int[sent.length]);
        comm = nccl.join(1, nccl.uniqueId(), 0);
    }

    PairTimes round() {
        long begun = System.nanoTime();
        nccl.groupStart();
        for (int i = 0; i < count; i++) {
            pair(i);
        }
        nccl.groupEnd();
        long groupedIssued = System.nanoTime() - begun;
        CudaCall.synchronize(stream.raw());
        long groupedDone = System.nanoTime() - begun;
        long begunAgain = System.nanoTime();
        for (int i = 0; i < count; i++) {
            nccl.groupStart();
            pair(i);
            nccl.groupEnd();
        }
        long singleIssued = System.nanoTime() - begunAgain;
        CudaCall.synchronize(stream.raw());
        return new PairTimes(groupedIssued, groupedDone, singleIssued, System.nanoTime() - begunAgain);
    }

    private void pair(int index) {
        long offset = (long) index * words * Integer.BYTES;
        nccl.send(from.address() + offset, words, 0, comm, stream.address());
        nccl.receive(to.address() + offset, words, 0, comm, stream.address());
    }

    /** @throws IllegalStateException if a message was not received as it was sent */
    void verify() {
        int differs = Arrays.mismatch(to.read(), sent);
        if (differs >= 0) {
            throw new IllegalStateException("a message to self is not received as it was sent: message="
                    + differs / words + ", word=" + differs % words);
        }
    }

    @Override
    public void close() {
        nccl.leave(comm);
        to.close();
        from.close();
    }
}
