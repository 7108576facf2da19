package io.reactivecomm.compression;

import io.reactivecomm.DType;
import io.reactivecomm.kernel.Warmup;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** One strip of work by a {@link DirectLoop}, with errors of before and after where it has a choice, and the same by a {@link FloatStrip}. */
final class DirectTrial implements Warmup.Trial {

    private static final int COUNT = Strip.LENGTH;
    private static final int BLOCK = 256;
    private static final int BLOCKS = COUNT / BLOCK;
    private static final double[] SPECIAL = {0, Double.NaN, Float.MIN_VALUE, Double.POSITIVE_INFINITY};
    private static final DType TYPE = DType.FLOAT32;

    private final DirectLoop loop;
    private final FloatStrip strip = new FloatStrip();
    private final double[] sums = new double[Norm.SUMS];
    private final MemorySegment values = memory();
    private final MemorySegment before = memory();
    private final MemorySegment lost = memory();
    private final MemorySegment bytes = memory();

    /** Some blocks take the strip, and the last does not: a loop that was compiled without meeting both would be thrown away when it does. */
    DirectTrial(DirectLoop loop) {
        this.loop = loop;
        strip.fillOperand(1, COUNT);
        strip.writeOperand(TYPE, values, 0, COUNT);
        for (int special = 0; special < SPECIAL.length; special++) {
            strip.fillOperand(SPECIAL[special], BLOCK);
            strip.writeOperand(TYPE, values, 2L * special * BLOCK, BLOCK);
        }
    }

    private static MemorySegment memory() {
        return Arena.ofAuto().allocate((long) COUNT * Float.BYTES, Float.BYTES);
    }

    @Override
    public void onVectors() {
        long x = values.address();
        long e = before.address();
        long to = bytes.address();
        // Both ways through a loop are met, so that neither is left out when it is compiled.
        for (int way = 0; way < 2; way++) {
            long error = way == 0 ? e : 0;
            long left = way == 0 ? lost.address() : 0;
            switch (loop) {
                case ADD_SQUARES -> FloatVectors.addSquares(x, error, sums, way == 0 ? 0 : to, COUNT);
                case PACK_SIGNS -> FloatVectors.packSigns(x, error, lost.address(), 1, to, COUNT);
                case UNPACK_SIGNS -> FloatVectors.unpackSigns(to, 1, way == 0, x, COUNT);
                case DEQUANTIZE_BYTES -> FloatVectors.dequantizeBytes(to, 1, way == 0, x, BLOCK, BLOCKS);
                case DEQUANTIZE_HALF_BYTES -> FloatVectors.dequantizeHalfBytes(to, 1, way == 0, x, BLOCK, BLOCKS);
                case FIND_INFINITE -> FloatVectors.areFinite(x, COUNT);
                case QUANTIZE_TO_BYTES, QUANTIZE_TO_HALF_BYTES -> blocks(error, left);
            }
        }
    }

    private void blocks(long error, long left) {
        long x = values.address();
        long to = bytes.address();
        for (int done = 0; done < BLOCKS; done++) {
            long at = (long) done * BLOCK * Float.BYTES;
            long added = error == 0 ? 0 : error + at;
            long lost = left == 0 ? 0 : left + at;
            long ofBytes = to + done * (long) (Double.BYTES + BLOCK);
            long ofHalfBytes = to + done * (long) (Double.BYTES + BLOCK / 2);
            done += (int)
                    switch (loop) {
                        case QUANTIZE_TO_BYTES ->
                            FloatVectors.quantizeToBytes(x + at, added, lost, ofBytes, BLOCK, BLOCKS - done);
                        case QUANTIZE_TO_HALF_BYTES ->
                            FloatVectors.quantizeToHalfBytes(x + at, added, lost, ofHalfBytes, BLOCK, BLOCKS - done);
                        case ADD_SQUARES,
                                PACK_SIGNS,
                                UNPACK_SIGNS,
                                DEQUANTIZE_BYTES,
                                DEQUANTIZE_HALF_BYTES,
                                FIND_INFINITE ->
                            throw new AssertionError("no loop that stops at a block: loop=" + loop);
                    };
        }
    }

    @Override
    public void plainly() {
        for (int way = 0; way < 2; way++) {
            strip.read(TYPE, values, 0, COUNT);
            switch (loop) {
                case ADD_SQUARES -> strip.addSquares(sums, COUNT);
                case PACK_SIGNS -> {
                    strip.packSigns(COUNT);
                    strip.writeBytes(bytes, 0, (int) SignBits.bytes(COUNT));
                }
                case UNPACK_SIGNS -> {
                    strip.unpackSigns(1, 1, COUNT);
                    strip.writeOperand(TYPE, lost, 0, COUNT);
                }
                case FIND_INFINITE -> strip.largestMagnitude(0, COUNT);
                case QUANTIZE_TO_BYTES, QUANTIZE_TO_HALF_BYTES -> {
                    int levels = loop == DirectLoop.QUANTIZE_TO_BYTES
                            ? BlockQuantization.BYTE_LEVELS
                            : BlockQuantization.HALF_BYTE_LEVELS;
                    strip.largestMagnitude(0, COUNT);
                    strip.quantize(0, COUNT, 1, levels);
                    strip.writeBytes(bytes, 0, COUNT / 2);
                }
                case DEQUANTIZE_BYTES, DEQUANTIZE_HALF_BYTES -> {
                    int levels = loop == DirectLoop.DEQUANTIZE_BYTES
                            ? BlockQuantization.BYTE_LEVELS
                            : BlockQuantization.HALF_BYTE_LEVELS;
                    strip.dequantize(0, COUNT, 1, 1, levels);
                    strip.writeOperand(TYPE, lost, 0, COUNT);
                }
            }
        }
    }
}
