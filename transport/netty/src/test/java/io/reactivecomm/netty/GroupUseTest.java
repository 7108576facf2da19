package io.reactivecomm.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.reactivecomm.CommConfig;
import io.reactivecomm.GroupClosedException;
import io.reactivecomm.GroupProgram;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Programs of ranks that connect, and leave the world as they end. */
@Timeout(30)
class GroupUseTest {

    @TempDir
    private Path folder;

    private CommConfig config(int rank) {
        return CommConfig.of("file://" + folder.toAbsolutePath() + "/store", rank, 2);
    }

    /** {@return what rank 1 throws as it runs that program on a thread of its own} */
    private CompletableFuture<Throwable> other(GroupProgram<?, ?> program) {
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        Thread.ofPlatform()
                .daemon()
                .name("rank-1")
                .start(() -> thrown.complete(catchThrowable(() -> ReactiveComm.using(config(1), program))));
        return thrown;
    }

    private static float sum(ProcessGroup group) {
        Tensor tensor = Tensor.of(new float[] {group.rank() + 1});
        group.allReduce(tensor, ReduceOp.SUM).block();
        return tensor.toFloatArray()[0];
    }

    @Test
    void using_allRanksReturn_giveTheirResults() throws Exception {
        CompletableFuture<Throwable> other = other(GroupUseTest::sum);
        float sum = ReactiveComm.using(config(0), GroupUseTest::sum);
        assertThat(sum).isEqualTo(3);
        assertThat(other.get(20, TimeUnit.SECONDS)).isNull();
    }

    @Test
    void using_oneRankThrows_othersLearnWhichAndWhy() throws Exception {
        CompletableFuture<Throwable> other = other(group -> {
            throw new IOException("no more data");
        });
        assertThat(catchThrowable(() -> ReactiveComm.using(config(0), GroupUseTest::sum)))
                .isInstanceOf(GroupClosedException.class)
                .hasMessageContaining("rank=1, reason=java.io.IOException: no more data");
        assertThat(other.get(20, TimeUnit.SECONDS))
                .isInstanceOf(IOException.class)
                .hasMessage("no more data");
    }
}
