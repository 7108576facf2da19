package io.reactivecomm.rcomm.gpu;

import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.UnsupportedCollectiveException;
import io.reactivecomm.Work;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.Move;
import io.reactivecomm.mpi.MpiProbe;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import reactor.core.publisher.Mono;

/**
 * The program of a rank of {@link MpiCheck}. It makes each call with tensors of the host, which go by links, and with the same numbers on the GPU, by MPI. It prints
 * the library and its outcome on lines of its own.
 */
final class MpiCheckRank {

    /** The begin of its own lines, among those that a library or a launcher may write. */
    private static final String MARK = "gpu-check mpi ";

    static final String LIBRARY = MARK + "library: ";
    static final String VERSION = MARK + "version: ";
    static final String CLAIM = MARK + "claims CUDA: ";
    static final String DONE = MARK + "done";
    static final String MISSING = MARK + "missing: ";
    static final String FAILED = MARK + "failed: ";

    private static final Duration LIMIT = Duration.ofSeconds(40);

    /** A call that the loop makes, and one of several pinned blocks, the last of which is not whole. */
    private static final List<Integer> COUNTS = List.of(1_000, 1_500_002);

    /** A call; {@code out} has room for the data of all ranks. */
    private enum Call {
        SUM {
            @Override
            Mono<Work> of(ProcessGroup group, Tensor in, Tensor out) {
                return group.allReduce(in, out.slice(0, in.count()), ReduceOp.SUM);
            }
        },
        AVERAGE {
            @Override
            Mono<Work> of(ProcessGroup group, Tensor in, Tensor out) {
                return group.allReduce(in, out.slice(0, in.count()), ReduceOp.AVG);
            }
        },
        BROADCAST {
            @Override
            Mono<Work> of(ProcessGroup group, Tensor in, Tensor out) {
                return group.broadcast(in, 0);
            }
        },
        ALL_GATHER {
            @Override
            Mono<Work> of(ProcessGroup group, Tensor in, Tensor out) {
                return group.allGather(in, out);
            }
        },
        REDUCE_SCATTER {
            @Override
            Mono<Work> of(ProcessGroup group, Tensor in, Tensor out) {
                return group.reduceScatter(out, in, ReduceOp.SUM);
            }
        },
        ALL_TO_ALL {
            @Override
            Mono<Work> of(ProcessGroup group, Tensor in, Tensor out) {
                return group.allToAll(in, out.slice(0, in.count()));
            }
        },
        MESSAGE {
            @Override
            Mono<Work> of(ProcessGroup group, Tensor in, Tensor out) {
                return group.rank() == 0 ? group.send(in, 1, 0) : group.receive(in, 0, 0);
            }
        };

        abstract Mono<Work> of(ProcessGroup group, Tensor in, Tensor out);
    }

    private MpiCheckRank() {}

    public static void main(String[] arguments) {
        System.exit(run());
    }

    private static int run() {
        try {
            MpiProbe mpi = MpiProbe.open(System.getenv());
            say(LIBRARY + mpi.name());
            say(VERSION + mpi.version());
            say(CLAIM + mpi.claimsCuda());
        } catch (UnsupportedCollectiveException e) {
            say(MISSING + CommException.textOf(e));
            return 0;
        }
        try {
            ReactiveComm.using(ReactiveComm.connect(), group -> {
                compareAll(group);
                return null;
            });
            say(DONE);
            return 0;
        } catch (RuntimeException | LinkageError e) {
            say(FAILED + CommException.textOf(e));
            return 1;
        }
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    private static void compareAll(ProcessGroup group) {
        for (int count : COUNTS) {
            for (Call call : Call.values()) {
                compare(group, call, count);
            }
        }
    }

    private static void compare(ProcessGroup group, Call call, int count) {
        Device gpu = new Device("cuda", 0);
        Random random = new Random(31L * call.ordinal() + group.rank());
        int all = count * group.size();
        try (Tensor in = Tensor.of(numbers(random, count));
                Tensor out = Tensor.of(numbers(random, all));
                Tensor inThere = group.allocate(gpu, DType.FLOAT32, count);
                Tensor outThere = group.allocate(gpu, DType.FLOAT32, all)) {
            group.move(List.of(Move.copy(in, inThere), Move.copy(out, outThere)))
                    .completed()
                    .block(LIMIT);
            call.of(group, in, out).block(LIMIT);
            call.of(group, inThere, outThere).block(LIMIT);
            requireSame(call, "first", in, inThere);
            requireSame(call, "second", out, outThere);
        }
    }

    private static float[] numbers(Random random, int count) {
        float[] numbers = new float[count];
        for (int i = 0; i < count; i++) {
            numbers[i] = random.nextFloat();
        }
        return numbers;
    }

    private static void requireSame(Call call, String tensor, Tensor host, Tensor there) {
        int differs = Arrays.mismatch(host.toFloatArray(), there.toFloatArray());
        if (differs >= 0) {
            throw new IllegalStateException("a call has other bits than the host's: call=" + call + ", count="
                    + host.count() + ", tensor=" + tensor + ", element=" + differs);
        }
    }
}
