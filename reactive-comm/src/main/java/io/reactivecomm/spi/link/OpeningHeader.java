package io.reactivecomm.spi.link;

import static io.reactivecomm.spi.link.FrameLayout.EDGE_BYTES;
import static io.reactivecomm.spi.link.FrameLayout.ENCLOSURE_BYTES;
import static io.reactivecomm.spi.link.FrameLayout.HEADER_BYTES;
import static io.reactivecomm.spi.link.FrameLayout.KEY_BYTES;
import static io.reactivecomm.spi.link.FrameLayout.OPEN_BYTES;
import static io.reactivecomm.spi.link.FrameLayout.STEP_BYTES;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import org.jspecify.annotations.Nullable;

/** The length of an opening without the bytes that come along, found without writing it: for who counts them. */
final class OpeningHeader {

    /** UTF-16 units below this are one byte of UTF-8. */
    private static final int ONE_BYTE = 0x80;

    /** Those below this are two. */
    private static final int TWO_BYTES = 0x800;

    private OpeningHeader() {}

    static int bytes(Frame.Open open) {
        String reduction = open.signature().reduction();
        int texts = (reduction == null ? 0 : utf8Bytes(reduction)) + keyBytes(open.key());
        return HEADER_BYTES + OPEN_BYTES + texts + open.edges().size() * EDGE_BYTES;
    }

    private static int keyBytes(CallKey key) {
        int step = key.step() == CallKey.NO_STEP ? 0 : STEP_BYTES;
        return KEY_BYTES + utf8Bytes(key.name()) + step + enclosureBytes(key.enclosure());
    }

    private static int enclosureBytes(@Nullable Enclosure enclosure) {
        return enclosure == null ? 0 : ENCLOSURE_BYTES + keyBytes(enclosure.run());
    }

    /** Half a pair of surrogates becomes a question mark, a whole one four bytes. */
    private static int utf8Bytes(String text) {
        int bytes = text.length();
        for (int i = 0; i < text.length(); i++) {
            char unit = text.charAt(i);
            boolean isPair = Character.isHighSurrogate(unit)
                    && i + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(i + 1));
            if (isPair) {
                bytes += 2;
                i++;
            } else if (unit >= ONE_BYTE && !Character.isSurrogate(unit)) {
                bytes += unit < TWO_BYTES ? 1 : 2;
            }
        }
        return bytes;
    }
}
