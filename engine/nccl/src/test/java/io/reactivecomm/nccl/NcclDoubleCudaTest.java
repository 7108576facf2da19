package io.reactivecomm.nccl;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.nccl.doubles.NcclDoubleDialect;
import io.reactivecomm.testkit.NeedsGcc;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The double of NCCL over device memory and streams, which a stub of the double of CUDA stands for: where the memory is, the host must not look. */
@ExtendWith(NeedsGcc.class)
class NcclDoubleCudaTest {

    private static final long MEMORY = 0x7000000000L;
    private static final long STREAM = 77;
    private static final int SUM = NcclOperation.SUM.code();

    /** One copy of each: the streams of NCCL's double are CUDA's from then on. */
    private static final class Loaded {
        private static final Path STUB = stub();
        static final SymbolLookup CUDA = SymbolLookup.libraryLookup(STUB, Arena.global());
        static final NcclDouble NCCL = NcclDouble.load(NcclDoubleDialect.NCCL);

        static {
            assertThat(NCCL.useCuda(STUB)).isTrue();
        }

        private static Path stub() {
            try {
                return NativeProgram.built("stub_cuda", "-shared", "-fPIC");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private final NcclSetup setup = new NcclSetup(Loaded.NCCL.library());
    private final NcclCalls calls = new NcclCalls(setup);
    private long comm;

    private static Object stub(String name, FunctionDescriptor type, Object... arguments) {
        try {
            return Linker.nativeLinker()
                    .downcallHandle(Loaded.CUDA.findOrThrow(name), type)
                    .invokeWithArguments(arguments);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("a native function threw: function=" + name, e);
        }
    }

    private static void set(int device, boolean isFreed) {
        stub("stub_set", FunctionDescriptor.ofVoid(JAVA_INT, JAVA_INT), device, isFreed ? 1 : 0);
    }

    private static int runQueue() {
        return (int) stub("stub_run", FunctionDescriptor.of(JAVA_INT));
    }

    private static MemorySegment memory() {
        return ((MemorySegment) stub("stub_memory", FunctionDescriptor.of(ADDRESS))).reinterpret(1024);
    }

    @BeforeEach
    void join() {
        set(0, false);
        comm = setup.initRank(1, setup.uniqueId(), 0).comm();
    }

    @AfterEach
    void leave() {
        setup.abort(comm);
        runQueue();
        Loaded.NCCL.clear();
    }

    private static void assertFault(String text) {
        assertThat(Loaded.NCCL.faults()).anyMatch(each -> each.contains(text));
        String atCuda = ((MemorySegment) stub("stub_fault", FunctionDescriptor.of(ADDRESS)))
                .reinterpret(2048)
                .getString(0);
        assertThat(atCuda).contains(text);
    }

    @Test
    void work_runsOnTheStream_inDeviceMemory() {
        NcclElements.fill(memory(), 0, NcclType.FLOAT16, 3, i -> i + 1);
        NcclElements.fill(memory(), 64, NcclType.FLOAT16, 3, i -> 0);
        calls.allReduce(MEMORY, MEMORY + 64, 3, NcclType.FLOAT16, SUM, comm, STREAM);
        assertThat(NcclElements.read(memory(), 64, NcclType.FLOAT16, 3)).containsOnly(0);
        assertThat(runQueue()).isEqualTo(1);
        assertThat(NcclElements.read(memory(), 64, NcclType.FLOAT16, 3)).containsExactly(1, 2, 3);
        assertThat(setup.allocate(64)).isEqualTo(MEMORY);
        setup.free(MEMORY);
        assertThat(Loaded.NCCL.faults()).isEmpty();
    }

    @Test
    void bufferThatIsNotAllDeviceMemory_isAFault() {
        assertThatThrownBy(() -> calls.allReduce(MEMORY, MEMORY + 1020, 2, NcclType.FLOAT32, SUM, comm, STREAM))
                .hasMessageContaining("result=INVALID_ARGUMENT (4)");
        assertFault("AllReduce: not all of a buffer is live memory of one allocation");
    }

    @Test
    void memoryThatIsFreedBeforeItsWorkHasEnded_isAFault() throws InterruptedException {
        calls.groupStart();
        calls.allReduce(MEMORY, MEMORY, 2, NcclType.FLOAT32, SUM, comm, STREAM);
        calls.groupEnd();
        set(0, true);
        Thread stream = Thread.ofPlatform().daemon().start(NcclDoubleCudaTest::runQueue);
        assertThatThrownBy(() -> {
                    while (true) {
                        setup.asyncError(comm);
                        Thread.onSpinWait();
                    }
                })
                .hasMessageContaining("result=UNHANDLED_CUDA_ERROR (1)");
        assertFault("memory was freed before the work with it ended");
        assertThat(stream.isAlive()).isTrue();
        setup.revoke(comm);
        stream.join();
    }

    @Test
    void contextOfAnotherDevice_orNone_isAFault() {
        set(1, false);
        assertThatThrownBy(() -> calls.allReduce(MEMORY, MEMORY, 2, NcclType.FLOAT32, SUM, comm, STREAM))
                .isInstanceOf(NcclException.class);
        assertFault("the thread's context is of device 1, the communicator of 0");
        set(-1, false);
        assertThatThrownBy(() -> setup.initRank(1, setup.uniqueId(), 0)).isInstanceOf(NcclException.class);
        assertFault("no CUDA context is current");
    }

    @Test
    void streamThatTakesNoWork_isAnErrorOfCuda() {
        assertThatThrownBy(() -> calls.allReduce(MEMORY, MEMORY, 2, NcclType.FLOAT32, SUM, comm, 0))
                .hasMessageContaining("result=UNHANDLED_CUDA_ERROR (1)");
    }

    @Test
    void factorOnTheDevice_isReadWhenTheWorkRuns() throws Throwable {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment op = arena.allocate(JAVA_INT);
            var create = setup.library().function(NcclFunction.RED_OP_CREATE_PRE_MUL_SUM);
            int code = (int) create.invokeExact(op.address(), MEMORY + 512, NcclType.FLOAT32.code(), 0, comm);
            assertThat(code).isZero();
            NcclElements.fill(memory(), 0, NcclType.FLOAT32, 2, i -> i + 1);
            calls.allReduce(MEMORY, MEMORY, 2, NcclType.FLOAT32, op.get(JAVA_INT, 0), comm, STREAM);
            NcclElements.fill(memory(), 512, NcclType.FLOAT32, 1, i -> 5);
            runQueue();
            assertThat(NcclElements.read(memory(), 0, NcclType.FLOAT32, 2)).containsExactly(5, 10);
            assertThat((int) create.invokeExact(op.address(), 64L, NcclType.FLOAT32.code(), 0, comm))
                    .isEqualTo(4);
            assertFault("the factor is not in device memory");
        }
    }
}
