package io.reactivecomm.shm;

import io.reactivecomm.spi.link.Loan;
import java.lang.foreign.MemorySegment;

/**
 * A payload in a peer's memory: good as long as its lease's word, which the peer keeps, is what it was; {@link Leases} has the other side.
 */
final class RemoteLoan implements Loan {

    private final MemorySegment peer;
    private final long wordAt;
    private final long word;
    private final MemorySegment memory;
    private final boolean scarce;
    private final Runnable giveBack;

    RemoteLoan(MemorySegment peer, long wordAt, long word, MemorySegment memory, boolean scarce, Runnable giveBack) {
        this.peer = peer;
        this.wordAt = wordAt;
        this.word = word;
        this.memory = memory;
        this.scarce = scarce;
        this.giveBack = giveBack;
    }

    @Override
    public MemorySegment memory() {
        return memory;
    }

    @Override
    public boolean isScarce() {
        return scarce;
    }

    @Override
    public boolean begin() {
        return SharedWords.read(peer, wordAt) == word;
    }

    @Override
    public boolean end() {
        SharedWords.afterReading();
        return begin();
    }

    @Override
    public void giveBack() {
        giveBack.run();
    }
}
