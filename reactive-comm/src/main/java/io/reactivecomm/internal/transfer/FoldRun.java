package io.reactivecomm.internal.transfer;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.internal.observe.Observation;
import io.reactivecomm.spi.Frame;
import io.reactivecomm.spi.MappedPages;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Folds local and remote operands, piece by piece, in the order of the schedule.
 *
 * <p>A piece is begun once every remote operand has announced it: then all its memories are reserved at once and all its grants are
 * wished for, so that nothing is held while waiting for a rank that may never come. Pieces are folded in order.
 */
final class FoldRun extends Run implements Later.Turn, Staging.Asker {

    /** Pieces are not cut below this for the sake of many ranks: 16 KiB still cost less than a frame. */
    private static final int LEAST_PIECE_BYTES = 16 << 10;

    /** Less is combined in the time that two readings of the clock take. */
    private static final int TIMED_BYTES = 4 << 10;

    private static final FoldInput[] NO_INPUTS = new FoldInput[0];

    private final FoldOperation fold;
    private final Staging staging;
    private final Later later;
    private final EagerOperands whole;

    private FoldInput[] inputs = NO_INPUTS;
    private int inputCount;
    /** None as long as nothing is gathered in pieces. */
    private @Nullable ArrayDeque<Stage> gathered;

    /** Elements of a piece, if usual ones are too long, or 0. */
    private final long shortPiece;
    private int widestBytes;
    private long begun;
    private boolean waitsForMemory;
    private boolean waitsForTurn;
    private boolean broken;

    /** @param pieceElements elements of a piece, if usual ones are too long, or 0 */
    FoldRun(Transfer transfer, FoldOperation fold, Resources shared, long pieceElements) {
        super(transfer, fold.count());
        this.fold = fold;
        this.shortPiece = pieceElements;
        this.staging = shared.staging();
        this.later = shared.later();
        this.whole = new EagerOperands(fold.operandCount(), shared.scratch());
        this.widestBytes = fold.targetBytes();
    }

    FoldInput remote(int operand, Edges edges, int edge, boolean isPartial) {
        int elementBytes = fold.remote(operand, isPartial);
        FoldInput input = new FoldInput(this, operand, edges, edge, elementBytes);
        if (inputCount == inputs.length) {
            inputs = Arrays.copyOf(inputs, Math.max(1, inputCount * 2));
        }
        inputs[inputCount++] = input;
        widestBytes = Math.max(widestBytes, elementBytes);
        return input;
    }

    @Override
    void advance() {
        waitsForMemory = false;
        if (!transfer.isRunning()) {
            return;
        }
        if (count == 0) {
            finishEmpty();
            return;
        }
        if (begun == 0 && isAllHere()) {
            foldWhole();
            return;
        }
        long mostNow = begun + mostAtOnce();
        int mostDepth = mostDepth();
        while (!isDone() && !broken && begun < count && depth() < mostDepth && !waitsForMemory && !waitsForTurn) {
            long ready = ready();
            if (ready <= begun) {
                return;
            }
            begin((int) Math.min(pieceElements(), ready - begun));
            if (begun >= mostNow && begun < count) {
                waitsForTurn = true;
                later.add(this);
            }
        }
    }

    /** {@return how many elements are begun before others have their turn: as many as there are, unless none has to come from elsewhere} */
    private long mostAtOnce() {
        return inputCount == 0 ? Math.max(1, transfer.limits().sliceBytes() / widestBytes) : count;
    }

    @Override
    public void resume() {
        waitsForTurn = false;
        advance();
    }

    @Override
    public void roomIsFree() {
        advance();
    }

    /**
     * {@return how many pieces may be under way}
     * What is read in place comes as soon as it is asked for. Of what is copied there are as many as the longest way holds, since all others
     * wait for that one; but never fewer than usual, and more only while half of the memory for them, of all folds together, is free: a call that is
     * more urgent finds some.
     */
    private int mostDepth() {
        int usual = Integer.MAX_VALUE;
        long longest = 0;
        for (int i = 0; i < inputCount; i++) {
            Path path = inputs[i].edges().path();
            usual = Math.min(usual, path.flow().foldDepth());
            longest = Math.max(longest, path.link().lends() ? 0 : path.windowBytes(Window.USUAL));
        }
        long pieceBytes = pieceElements() * widestBytes;
        long free = Math.max(0, transfer.limits().stagingBytes() / 2 - staging.usedBytes());
        long room = depth() + free / (Staging.heldBytes(pieceBytes) * Math.max(1, inputCount));
        return (int) Math.max(usual, Math.min(longest / pieceBytes, room));
    }

    private int depth() {
        return gathered == null ? 0 : gathered.size();
    }

    private ArrayDeque<Stage> stages() {
        if (gathered == null) {
            gathered = new ArrayDeque<>();
        }
        return gathered;
    }

    private void finishEmpty() {
        if (!isDone() && ready() == 0) {
            progressTo(0);
        }
    }

    /** {@return up to where all operands are ready and other steps let this one go} */
    private long ready() {
        long ready = limit();
        for (int i = 0; i < inputCount; i++) {
            ready = Math.min(ready, inputs[i].ready());
        }
        return ready;
    }

    private long pieceElements() {
        long share = transfer.limits().stagingBytes() / (4L * Math.max(1, inputCount));
        long bytes = Math.min(transfer.limits().pieceBytes(), Math.max(LEAST_PIECE_BYTES, share));
        return PieceLength.elements(shortPiece, widestBytes, bytes);
    }

    /** A remote operand came whole. */
    void cameWhole(int operand, Frame.Edge news) {
        whole.take(operand, news, isAllHere());
    }

    /** {@return whether the fold has all it needs, as with nearly all small tensors: there are no pieces, and nothing to reserve} */
    private boolean isAllHere() {
        for (int i = 0; i < inputCount; i++) {
            if (!inputs[i].isEager()) {
                return false;
            }
        }
        return inputCount > 0 && limit() == count;
    }

    private void begin(int elements) {
        int granted = 0;
        for (int i = 0; i < inputCount; i++) {
            granted += inputs[i].isEager() ? 0 : 1;
        }
        MemorySegment @Nullable [] memories = staging.reserve(granted, (long) elements * widestBytes, this);
        if (memories == null) {
            waitsForMemory = true;
            return;
        }
        Stage stage = new Stage(begun, elements, memories, whole.memories().clone());
        begun += elements;
        stages().add(stage);
        place(stage);
        foldWhatIsHere();
    }

    private void place(Stage stage) {
        int next = 0;
        for (int i = 0; i < inputCount; i++) {
            FoldInput input = inputs[i];
            MemorySegment came = whole.memory(input.operand());
            if (came != null) {
                stage.place(input.operand(), came.asSlice(stage.from() * input.elementBytes()));
            } else {
                stage.place(input.operand(), stage.memories()[next++]);
                input.wish(stage);
            }
        }
    }

    private void foldWhole() {
        begun = count;
        broken = !foldsWhole();
        if (!broken) {
            foldedTo(count);
        }
    }

    private boolean foldsWhole() {
        try {
            return folds(0, count, whole.memories());
        } catch (RuntimeException | InternalError e) {
            transfer.faulted(e);
            return false;
        }
    }

    /** {@return whether it was done, which only a caller's own operator can spoil, beside a fault of memory, which is thrown} */
    private boolean folds(long from, long elements, @Nullable MemorySegment[] remote) {
        Observation observation = elements * widestBytes < TIMED_BYTES ? null : transfer.observation();
        long since = observation == null ? 0 : observation.tick();
        try {
            fold.fold(from, elements, remote);
            if (observation != null) {
                observation.folded(since);
            }
            return true;
        } catch (InvalidCallException e) {
            transfer.spoil(e);
            return false;
        }
    }

    private void foldedTo(long elements) {
        if (elements == count) {
            whole.letGo();
        }
        progressTo(elements);
    }

    /** One operand of the piece that begins at that element is here. */
    void arrived(long from) {
        stage(from).arrived();
        goOn();
    }

    /** One operand of the piece that begins at that element can be read where it lies. */
    void lent(long from, int operand, LentPayload loan) {
        Stage stage = stage(from);
        stage.arrived(operand, loan);
        boolean mustWait = broken || !stage.isComplete() || stage != stages().element();
        if (mustWait && loan.loan().isScarce()) {
            broken |= !keepsCopy(stage, operand);
        }
        goOn();
    }

    private boolean keepsCopy(Stage stage, int operand) {
        MemorySegment lent = stage.lent(operand);
        try {
            return stage.keepCopy(operand);
        } catch (RuntimeException | InternalError e) {
            transfer.faulted(e, lent.scope().isAlive() ? TransferFault.OWN : lenderOf(operand));
            return false;
        }
    }

    private int lenderOf(int operand) {
        for (int i = 0; i < inputCount; i++) {
            if (inputs[i].operand() == operand) {
                return inputs[i].edges().path().rank();
            }
        }
        return TransferFault.OWN;
    }

    /** {@return the rank that has freed an operand of the piece that it had lent, or {@link TransferFault#OWN}} */
    private int faultyLender(Stage stage) {
        for (int i = 0; i < inputCount; i++) {
            if (!stage.remote(inputs[i].operand()).scope().isAlive()) {
                return inputs[i].edges().path().rank();
            }
        }
        return TransferFault.OWN;
    }

    private Stage stage(long from) {
        for (Stage stage : stages()) {
            if (stage.from() == from) {
                return stage;
            }
        }
        throw new IllegalStateException("an operand of no piece: call=" + transfer.number() + ", from=" + from);
    }

    private void goOn() {
        foldWhatIsHere();
        advance();
    }

    private void foldWhatIsHere() {
        while (!broken && depth() > 0 && stages().element().isComplete()) {
            Stage stage = stages().remove();
            try {
                broken = !folds(stage);
            } finally {
                // Whatever happens: the owners of what is lent wait for a reader to end.
                stage.giveBack();
            }
            if (!broken) {
                foldedTo(stage.from() + stage.count());
            }
            staging.release(stage.memories());
        }
    }

    /** {@return whether the piece was folded; not if a sender's call has ended, the news of which comes by itself} */
    private boolean folds(Stage stage) {
        try {
            boolean isFolded = stage.beginReading() && folds(stage.from(), stage.count(), stage.remote());
            MappedPages.hearOfThem();
            return isFolded && stage.endReading();
        } catch (RuntimeException | InternalError e) {
            transfer.faulted(e, faultyLender(stage));
            return false;
        }
    }

    /** Gives back the memory of pieces that will not be folded; the links no longer write into it. */
    @Override
    void abandon() {
        while (depth() > 0) {
            Stage stage = stages().remove();
            stage.giveBack();
            staging.release(stage.memories());
        }
        whole.letGo();
    }
}
