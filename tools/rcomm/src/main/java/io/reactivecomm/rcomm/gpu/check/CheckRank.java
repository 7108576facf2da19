package io.reactivecomm.rcomm.gpu.check;

import io.reactivecomm.CommException;
import io.reactivecomm.nccl.NcclProbe;
import io.reactivecomm.nccl.cuda.CudaDevice;
import io.reactivecomm.samples.programs.device.SharedGpu;
import java.util.HexFormat;
import java.util.stream.IntStream;

/**
 * The program of one of two ranks on one GPU. It is given its rank and, unless it is the first, the unique id, and says on a line each the id, if it is the
 * first, and how it has ended.
 */
final class CheckRank {

    /** What is added up. */
    static final int WORDS = 1 << 16;

    /** The begin of its own lines, among those that a library may write. */
    static final String MARK = "gpu-check ";

    static final String ID = MARK + "id: ";
    static final String DONE = MARK + "done";
    static final String REFUSED = MARK + "refused: ";
    static final String FAILED = MARK + "failed: ";

    private static final int RANKS = 2;

    private CheckRank() {}

    public static void main(String[] arguments) {
        System.out.println(outcome(Integer.parseInt(arguments[0]), arguments.length > 1 ? arguments[1] : ""));
        System.out.flush();
        // A library that has failed may have threads that do not end.
        Runtime.getRuntime().halt(0);
    }

    private static String outcome(int rank, String id) {
        try (CudaDevice device = CudaDevice.open(Machine.DEVICE, "rank-" + rank)) {
            NcclProbe nccl = NcclProbe.open(System.getenv());
            byte[] unique = id.isEmpty() ? nccl.uniqueId() : HexFormat.of().parseHex(id);
            if (id.isEmpty()) {
                System.out.println(ID + HexFormat.of().formatHex(unique));
                System.out.flush();
            }
            device.launches().call(() -> {
                addUp(device, nccl, unique, rank);
                return true;
            });
            return DONE;
        } catch (CommException e) {
            // Without the variable two ranks on one GPU are more than the library promises, whatever it says of them.
            boolean isPromised = "1".equals(System.getenv(SharedGpu.VARIABLE));
            return (NcclProbe.isRefusal(e) || (NcclProbe.isFailure(e) && !isPromised) ? REFUSED : FAILED)
                    + CommException.textOf(e);
        } catch (RuntimeException e) {
            return FAILED + e;
        }
    }

    private static void addUp(CudaDevice device, NcclProbe nccl, byte[] id, int rank) {
        long comm = nccl.join(RANKS, id, rank);
        try (DeviceBlock block = new DeviceBlock(WORDS * Integer.BYTES)) {
            block.write(IntStream.range(0, WORDS).map(i -> (rank + 1) * i).toArray());
            var stream = device.launches().stream();
            nccl.sum(block.address(), WORDS, comm, stream.address());
            CudaCall.synchronize(stream.raw());
            int[] sums = block.read();
            for (int i = 0; i < WORDS; i++) {
                if (sums[i] != 3 * i) {
                    throw new IllegalStateException(
                            "a sum is wrong: word=" + i + ", found=" + sums[i] + ", expected=" + 3 * i);
                }
            }
        }
        nccl.leave(comm);
    }
}
