package io.reactivecomm.kernel;

import java.lang.foreign.MemorySegment;

/** Lanes of a narrower floating-point type as doubles: reading is exact, writing rounds to FLOAT32 first. */
final class WideLanes implements StripLanes<double[]> {

    private final StripLanes<float[]> narrow;
    private final float[] floats = new float[StripFold.STRIP];

    WideLanes(StripLanes<float[]> narrow) {
        this.narrow = narrow;
    }

    @Override
    public void read(MemorySegment source, long from, double[] into, int n) {
        float[] floats = this.floats;
        narrow.read(source, from, floats, n);
        for (int i = 0; i < n; i++) {
            into[i] = floats[i];
        }
    }

    @Override
    public void write(double[] numbers, MemorySegment target, long from, int n) {
        float[] floats = this.floats;
        for (int i = 0; i < n; i++) {
            floats[i] = (float) numbers[i];
        }
        narrow.write(floats, target, from, n);
    }
}
