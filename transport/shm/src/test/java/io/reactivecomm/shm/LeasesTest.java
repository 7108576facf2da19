package io.reactivecomm.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.link.Frame;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LeasesTest {

    private static final int ROUNDS = 20_000;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment words = arena.allocate(SharedFileLayout.LEASES * Long.BYTES, Long.BYTES);
    private final MemorySegment payload = arena.allocate(1024);
    private final Leases leases = new Leases(words, 0);

    @AfterEach
    void close() {
        arena.close();
    }

    private Frame.Data data() {
        return new Frame.Data(1, payload);
    }

    private RemoteLoan loan(Leases.Lease lease) {
        return new RemoteLoan(
                words, lease.place() * (long) Long.BYTES, lease.word(), payload.asReadOnly(), false, () -> {});
    }

    @Test
    void place_usedAgain_isAnotherLoan() {
        Leases.Lease first = leases.lend(data(), null);
        RemoteLoan late = loan(first);
        leases.returned(first.place());
        Leases.Lease second = leases.lend(data(), null);
        assertThat(second.place()).isEqualTo(first.place());
        assertThat(late.begin()).isFalse();
        assertThat(loan(second).begin()).isTrue();
    }

    @Test
    void takeBack_takesThatFrameAlone() {
        Frame.Data taken = data();
        Frame.Data kept = data();
        RemoteLoan one = loan(leases.lend(taken, null));
        RemoteLoan other = loan(leases.lend(kept, null));
        leases.takeBack(taken);
        leases.takeBack(taken);
        assertThat(one.begin()).isFalse();
        assertThat(other.begin()).as("an equal frame that is another").isTrue();
        assertThat(leases.hasTensors()).isTrue();
        leases.takeBack(kept);
        assertThat(leases.hasTensors()).isFalse();
    }

    @Test
    void takenBack_placeIsFreeOnlyWhenThePeerHasGivenItBack() {
        Frame.Data frame = data();
        Leases.Lease lease = leases.lend(frame, null);
        leases.takeBack(frame);
        assertThat(leases.left()).isEqualTo(SharedFileLayout.LEASES - 1);
        assertThat(leases.returned(lease.place())).isEqualTo(lease);
        assertThat(leases.left()).isEqualTo(SharedFileLayout.LEASES);
        assertThat(leases.hasTensors()).isFalse();
        assertThatThrownBy(() -> leases.returned(lease.place())).isInstanceOf(ProtocolException.class);
    }

    @Test
    void end_takesBackTensors_andLeavesCopies() throws Exception {
        HeapFile memory = new HeapFile(1 << 20);
        RemoteLoan tensor = loan(leases.lend(data(), null));
        CopyPool copies = new CopyPool(memory.heap);
        RemoteLoan copy = loan(leases.lend(null, copies.of(data())));
        leases.end(copies);
        leases.end(copies);
        assertThat(tensor.begin()).isFalse();
        assertThat(copy.begin()).isTrue();
        assertThat(leases.hasTensors()).isFalse();
        memory.heap.close();
        assertThat(memory.isOpen()).as("once, the copy is left to its reader").isFalse();
    }

    /** What a reader calls intact was never written to after it had been taken back, though the owner writes there at once. */
    @Test
    void race_readerAgainstOwnerThatTakesBackAndWrites_intactMeansUntouched() {
        AtomicReference<Leases.Lease> lent = new AtomicReference<>();
        CompletableFuture<Long> reader = CompletableFuture.supplyAsync(() -> readAll(lent));
        long filler = 0;
        for (int round = 0; round < ROUNDS && !reader.isDone(); round++) {
            fill(++filler);
            Frame.Data frame = data();
            Leases.Lease lease = leases.lend(frame, null);
            lent.set(lease);
            for (int i = 0; i < round % 64; i++) {
                Thread.onSpinWait();
            }
            leases.takeBack(frame);
            fill(++filler);
            leases.returned(lease.place());
        }
        lent.set(null);
        done = true;
        assertThat(reader.orTimeout(30, TimeUnit.SECONDS).join())
                .as("torn reads that were called intact")
                .isZero();
    }

    private volatile boolean done;

    private void fill(long value) {
        for (long at = 0; at < payload.byteSize(); at += Long.BYTES) {
            payload.set(ValueLayout.JAVA_LONG, at, value);
        }
    }

    private long readAll(AtomicReference<Leases.Lease> lent) {
        long torn = 0;
        while (!done) {
            Leases.Lease lease = lent.get();
            if (lease != null) {
                RemoteLoan loan = loan(lease);
                if (loan.begin()) {
                    long[] read = loan.memory().toArray(ValueLayout.JAVA_LONG);
                    if (loan.end()) {
                        // Odd numbers were there while it was lent, and only one of them each time.
                        torn += isSound(read) ? 0 : 1;
                    }
                }
            }
        }
        return torn;
    }

    private static boolean isSound(long[] read) {
        for (long each : read) {
            if (each != read[0] || each % 2 == 0) {
                return false;
            }
        }
        return true;
    }
}
