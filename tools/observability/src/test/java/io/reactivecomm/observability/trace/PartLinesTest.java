package io.reactivecomm.observability.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.timeline.TimelineException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Files that are no part of a timeline. */
class PartLinesTest {

    private static final Path FILE = Path.of("part.json");

    /** A file's content, which knows whether it was closed. */
    private static final class Content extends InputStream {

        private final byte @Nullable [] bytes;
        private int place;
        private boolean isClosed;

        /** @param text null for a folder's, which cannot be read */
        private Content(@Nullable String text) {
            bytes = text == null ? null : text.getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public int read() throws IOException {
            if (bytes == null) {
                throw new IOException("Is a directory");
            }
            return place < bytes.length ? bytes[place++] : -1;
        }

        @Override
        public void close() {
            isClosed = true;
        }
    }

    private static void requireClosed(Content content, String why) {
        assertThatThrownBy(() -> new PartLines(FILE, content))
                .isInstanceOf(TimelineException.class)
                .hasMessageContaining(why);
        assertThat(content.isClosed).isTrue();
    }

    @Test
    void fileThatIsNoPart_isClosed_whateverIsWrongWithIt() {
        requireClosed(new Content("{\n"), "its first line is not [");
        requireClosed(new Content("x".repeat((1 << 20) + 1)), "line 1 is longer than");
        requireClosed(new Content(null), "Is a directory");
    }
}
