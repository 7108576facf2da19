package io.reactivecomm.rcomm.gpu.check;

import io.reactivecomm.nccl.cuda.CudaDevice;
import java.util.LinkedHashMap;
import java.util.Map;
import jcuda.driver.CUstream;

/** A kernel and copies on two streams: each alone, and both at the same time. */
final class OverlapCheck implements Check {

    /** A tenth of a millisecond or so: long beside a launch, short beside the copies. */
    private static final int TRIAL_TURNS = 10_000;

    private static final double MOST_TURNS = 50e6;

    @Override
    public String name() {
        return "overlap";
    }

    @Override
    public String claim() {
        return "copies and a kernel run side by side on two streams, hidden being the part of the shorter that takes no time of its own; nothing of NCCL's"
                + " kernels, which share the GPU's processors";
    }

    @Override
    public Map<String, Object> measure(Machine machine) throws SkippedCheck {
        CudaDevice device = machine.device();
        return device.launches().call(() -> {
            try (SpinKernel kernel = new SpinKernel(Machine.DEVICE);
                    RoundTrip copies = new RoundTrip(machine.sizes().copyBytes())) {
                CUstream computing = device.launches().stream().raw();
                CUstream copying = device.launches().stream().raw();
                return new Streams(
                                kernel,
                                computing,
                                copies,
                                copying,
                                machine.sizes().rounds())
                        .measure();
            }
        });
    }

    /** The two streams and what is enqueued there. */
    private record Streams(SpinKernel kernel, CUstream computing, RoundTrip copies, CUstream copying, int rounds) {

        private Map<String, Object> measure() {
            double trial = nanos(true, false, TRIAL_TURNS);
            double copiesAlone = nanos(false, true, 0);
            int turns = (int) Math.clamp(TRIAL_TURNS * copiesAlone / trial, 1, MOST_TURNS);
            double computeAlone = nanos(true, false, turns);
            double both = nanos(true, true, turns);
            kernel.verify(turns);
            copies.verify();
            Map<String, Object> values = new LinkedHashMap<>();
            values.put("computeMicros", Median.micros(computeAlone));
            values.put("copiesMicros", Median.micros(copiesAlone));
            values.put("bothMicros", Median.micros(both));
            values.put("hidden", Median.ratio(computeAlone + copiesAlone - both, Math.min(computeAlone, copiesAlone)));
            return values;
        }

        /** {@return the median; as many rounds before it are for warmth} */
        private double nanos(boolean computes, boolean copies, int turns) {
            Median.of(rounds, () -> once(computes, copies, turns));
            return Median.of(rounds, () -> once(computes, copies, turns));
        }

        private long once(boolean computes, boolean isCopied, int turns) {
            long begun = System.nanoTime();
            if (computes) {
                kernel.launch(turns, computing);
            }
            if (isCopied) {
                copies.enqueue(copying);
            }
            CudaCall.synchronize(computing);
            CudaCall.synchronize(copying);
            return System.nanoTime() - begun;
        }
    }
}
