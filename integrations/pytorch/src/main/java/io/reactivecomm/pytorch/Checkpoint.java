package io.reactivecomm.pytorch;

import io.reactivecomm.InvalidCallException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * The state of one rank that torch's own checkpoint lacks.
 *
 * <pre>
 *   mark INT64 | steps INT64 | length INT32 | compression, as many bytes
 * </pre>
 *
 * @param steps the steps that have succeeded
 * @param compression a snapshot of its state; of no bytes without compression
 */
record Checkpoint(long steps, byte[] compression) {

    /** "RCOMMDP1". */
    private static final long MARK = 0x5243_4F4D_4D44_5031L;

    void write(Path file) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Path next = file.resolveSibling(file.getFileName() + ".next");
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeLong(MARK);
            out.writeLong(steps);
            out.writeInt(compression.length);
            out.write(compression);
            Files.write(next, bytes.toByteArray());
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException("a checkpoint cannot be written: file=" + file, e);
        }
    }

    static Checkpoint read(Path file) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(Files.readAllBytes(file)))) {
            long mark = in.readLong();
            long steps = in.readLong();
            int length = in.readInt();
            if (mark == MARK && steps >= 0 && length == in.available()) {
                return new Checkpoint(steps, in.readAllBytes());
            }
            throw new EOFException("mark=" + mark + ", steps=" + steps + ", length=" + length);
        } catch (EOFException e) {
            throw new InvalidCallException(
                    "a file is no checkpoint of DistributedDataParallel, or a damaged one: file=" + file
                            + "; give what save wrote on this rank",
                    e);
        } catch (IOException e) {
            throw new UncheckedIOException("a checkpoint cannot be read: file=" + file, e);
        }
    }
}
