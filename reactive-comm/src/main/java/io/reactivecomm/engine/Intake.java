package io.reactivecomm.engine;

import io.reactivecomm.spi.Frame;
import io.reactivecomm.spi.Loan;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The receiving end of one edge: takes announcements, asks for pieces, some before they are announced, and takes their bytes. */
sealed interface Intake permits ReceiveRun, FoldInput {

    /** Pieces of an edge that are asked for before they are announced: one that is being made, and the next. */
    int USUALLY_AHEAD = 2;

    /** The most that a peer may ask for; it does so where payloads are read in place. */
    int MOST_AHEAD = 32;

    /** What a piece occupies until it is answered; what is under way in one takes no room in another. */
    enum Window {
        /** For pieces that are folded or passed on while they are in the caches. */
        USUAL,
        /** For pieces that their sender is still making. */
        AHEAD,
        /** For pieces that lie ready and only have to be moved, where the link wants these longer. */
        BULK
    }

    /** {@return the call that this edge belongs to} */
    Call call();

    /** {@return who sends} */
    Partner partner();

    /** {@return which transfer from that sender this is} */
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
    record Piece(Intake intake, long from, int count, Window window, MemorySegment destination, Scratch.@Nullable Block block) {

        /** The link writes no more of it, and nobody reads it. */
        void letGo() {
            if (block != null) {
                block.giveBack();
            }
        }
    }
}
