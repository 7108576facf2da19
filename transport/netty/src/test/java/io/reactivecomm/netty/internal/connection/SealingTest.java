package io.reactivecomm.netty.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import javax.net.ssl.SSLEngine;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The copying of payloads into records. */
class SealingTest {

    private static final int BYTES = 1 << 20;

    @TempDir
    Path folder;

    private final SSLEngine engine = Tls.engine(true);
    private final WritableByteChannel target = Channels.newChannel(new ByteArrayOutputStream());

    private void write(ByteBuffer payload) throws IOException {
        Sealing sealing = new Sealing(engine, UnpooledByteBufAllocator.DEFAULT, () -> {});
        try {
            sealing.write(
                    target, new ByteBuffer[] {ByteBuffer.allocateDirect(0), payload, ByteBuffer.allocateDirect(1)});
        } finally {
            sealing.close();
        }
    }

    /** Once the copy is compiled by the optimizing compiler, the JVM throws the fault after all bytes of a record have been copied. */
    @Test
    @Tag("thorough")
    void payloadWhoseFileIsTruncated_keepsItsPosition_alsoOnceTheCopyIsCompiled() throws IOException {
        for (int round = 0; round < 20; round++) {
            Path file = Files.createFile(folder.resolve("payload" + round));
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
                    Arena arena = Arena.ofShared()) {
                MemorySegment payload = channel.map(MapMode.READ_WRITE, 0, BYTES, arena);
                for (int i = 0; i < 5_000; i++) {
                    write(payload.asByteBuffer());
                }
                channel.truncate(0);
                ByteBuffer lost = payload.asByteBuffer();

                assertThatThrownBy(() -> write(lost)).isInstanceOf(InternalError.class);
                assertThat(lost.position()).as("round %d", round).isZero();
            }
        }
    }
}
