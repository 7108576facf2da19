package io.reactivecomm.internal.transfer;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.internal.observe.Observation;
import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.MappedPages;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
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

    private final FoldOperation fold;
    private final Staging staging;
    private final Later later;
    private final EagerOperands whole;
    private final FoldInput.All inputs = new FoldInput.All();

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
        inputs.add(input);
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
        return inputs.count() == 0 ? Math.max(1, transfer.limits().sliceBytes() / widestBytes) : count;
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

    private int mostDepth() {
        long pieceBytes = pieceElements() * widestBytes;
        long room = depth() + staging.freeForDepth() / (Staging.heldBytes(pieceBytes) * Math.max(1, inputs.count()));
        return FoldDepth.most(inputs.usualDepth(), inputs.longestWayBytes(), pieceBytes, room);
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
        return inputs.ready(limit());
    }

    private long pieceElements() {
        long share = transfer.limits().stagingBytes() / (4L * Math.max(1, inputs.count()));
        long bytes = Math.min(transfer.limits().pieceBytes(), Math.max(LEAST_PIECE_BYTES, share));
        return PieceLength.elements(shortPiece, widestBytes, bytes);
    }

    /** A remote operand came whole. */
    void cameWhole(int operand, Frame.Edge news) {
        whole.take(operand, news, isAllHere());
    }

    /** {@return whether the fold has all it needs, as with nearly all small tensors: there are no pieces, and nothing to reserve} */
    private boolean isAllHere() {
        return inputs.areWhole() && limit() == count;
    }

    private void begin(int elements) {
        MemorySegment @Nullable [] memories = staging.reserve(inputs.inPieces(), (long) elements * widestBytes, this);
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
        for (int i = 0; i < inputs.count(); i++) {
            FoldInput input = inputs.get(i);
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
            transfer.faulted(e, lent.scope().isAlive() ? TransferFault.OWN : inputs.ownerOf(operand));
            return false;
        }
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
            transfer.faulted(e, inputs.faultyLender(stage));
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
