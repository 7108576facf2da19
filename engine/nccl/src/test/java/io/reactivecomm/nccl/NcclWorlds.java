package io.reactivecomm.nccl;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommConfig;
import io.reactivecomm.DType;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Reduction;
import io.reactivecomm.nccl.cuda.CudaHome;
import io.reactivecomm.nccl.doubles.CudaDouble;
import io.reactivecomm.nccl.doubles.NcclDoubleDialect;
import io.reactivecomm.testkit.NeedsGcc;
import io.reactivecomm.testkit.SequencedWorlds;
import io.reactivecomm.testkit.TensorHome;
import io.reactivecomm.testkit.WorldContract;
import java.util.List;
import org.junit.jupiter.api.extension.ExtendWith;

/** Worlds over the doubles of NCCL and CUDA, as the contracts want them: after each of them nothing may have been wrong, or be left. */
@ExtendWith(NeedsGcc.class)
interface NcclWorlds extends SequencedWorlds {

    /** The engine with all that NCCL has. */
    String NEWEST = "nccl-double";

    /** {@return the choice of engines} */
    default String backend() {
        return "cpu:links,cuda:" + NEWEST;
    }

    @Override
    default WorldContract.World open(int size) {
        return Ranks.open(size, backend());
    }

    @Override
    default TensorHome home() {
        return CudaHome.ONE;
    }

    /** Without what has other bits than links give: the least of a number and a NaN is the number, and a factor is rounded to the type first. */
    @Override
    default boolean reduces(Reduction reduction, DType type) {
        boolean isOwn = type.family() == DType.Family.FLOAT && (reduction == ReduceOp.MIN || reduction == ReduceOp.MAX);
        boolean isRounded = reduction instanceof PreMulSum && type.byteSize() < Float.BYTES;
        return NcclOperation.isSupported(reduction, type, NcclDialect.NCCL) && !isOwn && !isRounded;
    }

    /** The ranks of one. */
    record Ranks(LocalWorld world, List<NcclDoubleProvider.Opened> opened) implements WorldContract.World {

        static Ranks open(int size, String backend) {
            CudaDouble.JVM.forgetFaults();
            CommConfig settings = CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT);
            LocalWorld world = ReactiveComm.local(size, settings.withBackend(backend));
            return new Ranks(world, NcclDoubleProvider.taken());
        }

        @Override
        public List<ProcessGroup> groups() {
            return world.groups();
        }

        @Override
        public void close() {
            world.close();
            opened.forEach(NcclDoubleProvider.Opened::awaitEnd);
            for (NcclDoubleDialect dialect : NcclDoubleProvider.loaded()) {
                assertThat(NcclDoubleProvider.nccl(dialect).faults())
                        .as("faults in the use of %s", dialect)
                        .isEmpty();
            }
            assertThat(CudaDouble.JVM.faults()).as("faults in the use of CUDA").isEmpty();
        }
    }

    /** As Debian's NCCL is: what moves whole rows is done by messages. */
    interface OfDebian extends NcclWorlds {

        @Override
        default String backend() {
            return "cpu:links,cuda:nccl-debian";
        }
    }

    /** An NCCL whose communicators block and are not split. */
    interface Old extends NcclWorlds {

        @Override
        default String backend() {
            return "cpu:links,cuda:nccl-old";
        }

        @Override
        default boolean reduces(Reduction reduction, DType type) {
            return !(reduction instanceof PreMulSum) && NcclWorlds.super.reduces(reduction, type);
        }
    }

    /** Of oneCCL, with tensors of the host; what it does not reduce goes to links. */
    interface OneCcl extends NcclWorlds {

        @Override
        default String backend() {
            return "cpu:oneccl-double";
        }

        @Override
        default TensorHome home() {
            return TensorHome.HOST;
        }
    }
}
