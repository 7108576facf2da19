package io.reactivecomm.kernel;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Lanes of BFLOAT16 with the Vector API once that is compiled, and without it before. */
final class WarmingLanes implements StripLanes<float[]> {

    private static final Warmup READING = new Warmup(() -> new Trial(true));
    private static final Warmup WRITING = new Warmup(() -> new Trial(false));

    private final StripLanes<float[]> vectors = new BFloat16VectorLanes();
    private final StripLanes<float[]> plain = new BFloat16Lanes();

    @Override
    public void read(MemorySegment source, long from, float[] into, int n) {
        if (!source.isMapped() && READING.isWarm()) {
            vectors.read(source, from, into, n);
        } else {
            plain.read(source, from, into, n);
        }
    }

    @Override
    public void write(float[] numbers, MemorySegment target, long from, int n) {
        if (!target.isMapped() && WRITING.isWarm()) {
            vectors.write(numbers, target, from, n);
        } else {
            plain.write(numbers, target, from, n);
        }
    }

    /** A strip that is read, or written. */
    private static final class Trial implements Warmup.Trial {

        private static final int COUNT = StripFold.STRIP / 2;

        private final boolean reads;
        private final StripLanes<float[]> vectors = new BFloat16VectorLanes();
        private final StripLanes<float[]> plain = new BFloat16Lanes();
        private final MemorySegment memory = Arena.ofAuto().allocate((long) COUNT * Short.BYTES, Short.BYTES);
        private final float[] numbers = new float[COUNT];

        private Trial(boolean reads) {
            this.reads = reads;
        }

        @Override
        public void onVectors() {
            run(vectors);
        }

        @Override
        public void plainly() {
            run(plain);
        }

        private void run(StripLanes<float[]> lanes) {
            if (reads) {
                lanes.read(memory, 0, numbers, COUNT);
            } else {
                lanes.write(numbers, memory, 0, COUNT);
            }
        }
    }
}
