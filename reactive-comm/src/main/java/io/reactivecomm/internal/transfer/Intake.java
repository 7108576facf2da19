package io.reactivecomm.internal.transfer;

import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.Loan;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The receiving end of one edge: takes announcements, asks for pieces, some before they are announced, and takes their bytes. */
sealed interface Intake permits ReceiveRun, FoldInput {

    /** {@return whose step takes this edge} */
    Transfer transfer();

    /** {@return all edges between this rank and the sender} */
    Edges edges();

    /** {@return which of the sender's edges this is} */
    int edge();

    /** {@return the size of the whole edge, in bytes} */
    long lengthBytes();

    /** {@return whether all of the edge's bytes are here} */
    boolean isComplete();

    /** The edge never travels with its announcement: it is long, or the call's others take all that may. */
    void comesByGrant();

    /** Both ends have opened the call; what the opening announced has been taken in. */
    default void matched() {}

    /** More of the edge is ready at the sender, or the whole of it is here. */
    void announced(Frame.Edge news);

    /** {@return whether a piece is wanted that has not been granted} */
    boolean hasWish();

    /** {@return the size of the next wanted piece, in bytes} */
    int wishBytes();

    /** {@return what the next wanted piece will occupy} */
    default Window wishWindow() {
        return Window.USUAL;
    }

    /** {@return the next wanted piece, whose destination is now reserved} */
    Piece grantNext();

    /** The bytes of a granted piece are in its destination. */
    void arrived(Piece piece);

    /** A granted piece will not come. */
    default void withdrawn() {}

    /** A granted piece can be read where it lies; this gives it back. */
    void lent(Piece piece, Loan loan);

    /**
     * A piece that is granted.
     *
     * @param from its first element in the edge
     * @param count its elements
     * @param window what it occupies
     * @param block what it is unpacked from, whose memory the destination is; null if it goes straight into its place
     */
    record Piece(
            Intake intake,
            long from,
            int count,
            Window window,
            MemorySegment destination,
            Scratch.@Nullable Block block) {

        /** The link writes no more of it, and nobody reads it. */
        void letGo() {
            if (block != null) {
                block.giveBack();
            }
        }
    }
}
