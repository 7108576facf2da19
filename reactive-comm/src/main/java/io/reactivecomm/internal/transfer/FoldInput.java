package io.reactivecomm.internal.transfer;

import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.Loan;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One remote operand of a fold: its pieces wait in staging memory until all operands of the piece are here. */
final class FoldInput implements Intake {

    private final FoldRun fold;
    private final int operand;
    private final Edges edges;
    private final int edge;
    private final EdgeState state;
    private @Nullable ArrayDeque<Stage> wishes;
    private boolean isEager;
    private long arrived;

    FoldInput(FoldRun fold, int operand, Edges edges, int edge, int elementBytes) {
        this.fold = fold;
        this.operand = operand;
        this.edges = edges;
        this.edge = edge;
        this.state = new EdgeState(fold.count, elementBytes);
    }

    @Override
    public Transfer transfer() {
        return fold.transfer;
    }

    @Override
    public Edges edges() {
        return edges;
    }

    @Override
    public int edge() {
        return edge;
    }

    int operand() {
        return operand;
    }

    int elementBytes() {
        return state.elementBytes();
    }

    @Override
    public long lengthBytes() {
        return fold.count * state.elementBytes();
    }

    @Override
    public void comesByGrant() {
        state.comesByGrant();
    }

    @Override
    public boolean isComplete() {
        return isEager || (state.isAnnounced() && arrived == fold.count);
    }

    @Override
    public void announced(Frame.Edge news) {
        state.announced(news);
        if (news.isEager()) {
            isEager = true;
            fold.cameWhole(operand, news);
        }
        fold.advance();
    }

    /** {@return how many elements are ready at the sender, or {@link Run#BLOCKED} if it has announced nothing} */
    long ready() {
        return state.isAnnounced() ? state.ready() : Run.BLOCKED;
    }

    /** {@return whether the bytes of the whole edge came with the announcement} */
    boolean isEager() {
        return isEager;
    }

    void wish(Stage stage) {
        if (wishes == null) {
            wishes = new ArrayDeque<>();
        }
        wishes.add(stage);
        edges.path().inbox().wish(this);
    }

    @Override
    public boolean hasWish() {
        return wishes != null && !wishes.isEmpty();
    }

    @Override
    public int wishBytes() {
        return Objects.requireNonNull(wishes).element().count() * state.elementBytes();
    }

    @Override
    public Piece grantNext() {
        Stage stage = Objects.requireNonNull(wishes).remove();
        MemorySegment destination = stage.remote(operand).asSlice(0, (long) stage.count() * state.elementBytes());
        return new Piece(this, stage.from(), stage.count(), Window.USUAL, destination, null);
    }

    @Override
    public void lent(Piece piece, Loan loan) {
        arrived += piece.count();
        fold.lent(piece.from(), operand, new LentPayload(loan, edges.path().outbox()));
    }

    @Override
    public void arrived(Piece piece) {
        arrived += piece.count();
        fold.arrived(piece.from());
    }

    /** All remote operands of one fold. */
    static final class All {

        private static final FoldInput[] NONE = new FoldInput[0];

        private FoldInput[] inputs = NONE;
        private int count;

        void add(FoldInput input) {
            if (count == inputs.length) {
                inputs = Arrays.copyOf(inputs, Math.max(1, count * 2));
            }
            inputs[count++] = input;
        }

        int count() {
            return count;
        }

        FoldInput get(int index) {
            return inputs[index];
        }

        /** {@return up to where all are ready, and no further than that limit} */
        long ready(long limit) {
            long ready = limit;
            for (int i = 0; i < count; i++) {
                ready = Math.min(ready, inputs[i].ready());
            }
            return ready;
        }

        /** {@return whether there are any, and all of them came whole, with their announcement} */
        boolean areWhole() {
            for (int i = 0; i < count; i++) {
                if (!inputs[i].isEager) {
                    return false;
                }
            }
            return count > 0;
        }

        /** {@return how many come in pieces, which are asked for} */
        int inPieces() {
            int inPieces = 0;
            for (int i = 0; i < count; i++) {
                inPieces += inputs[i].isEager ? 0 : 1;
            }
            return inPieces;
        }

        /** {@return the rank whose operand that is, or {@link TransferFault#OWN}} */
        int ownerOf(int operand) {
            for (int i = 0; i < count; i++) {
                if (inputs[i].operand == operand) {
                    return inputs[i].edges.path().rank();
                }
            }
            return TransferFault.OWN;
        }

        /** {@return the rank that has freed an operand of the piece that it had lent, or {@link TransferFault#OWN}} */
        int faultyLender(Stage stage) {
            for (int i = 0; i < count; i++) {
                if (!stage.remote(inputs[i].operand).scope().isAlive()) {
                    return inputs[i].edges.path().rank();
                }
            }
            return TransferFault.OWN;
        }

        /** {@return how many pieces the usual depth of those is that have least} */
        int usualDepth() {
            int usual = Integer.MAX_VALUE;
            for (int i = 0; i < count; i++) {
                usual = Math.min(usual, inputs[i].edges.path().flow().foldDepth());
            }
            return usual;
        }

        /** {@return what the longest way holds of those that are copied} Operands that are read in place come as soon as they are asked for. */
        long longestWayBytes() {
            long longest = 0;
            for (int i = 0; i < count; i++) {
                Path path = inputs[i].edges.path();
                longest = Math.max(longest, path.link().lends() ? 0 : path.windowBytes(Window.USUAL));
            }
            return longest;
        }
    }
}
