package io.reactivecomm.nccl;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.nccl.doubles.NcclDoubleDialect;
import io.reactivecomm.nccl.doubles.NcclDoubleLibrary;
import io.reactivecomm.testkit.Gcc;
import io.reactivecomm.testkit.NeedsGcc;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Ranks of the double of NCCL that are processes: a program in C forks them. */
@ExtendWith(NeedsGcc.class)
class NcclDoubleProcessesTest {

    @Test
    void threeProcesses_sumAndExchange() throws IOException {
        Path program = NativeProgram.built("processes");
        String library = NcclDoubleLibrary.shared(NcclDoubleDialect.NCCL).toString();

        assertThat(Gcc.run(List.of(program.toString(), library, "3"), program.getParent()))
                .isEqualTo("3 ranks, 0 failed\n");
    }
}
