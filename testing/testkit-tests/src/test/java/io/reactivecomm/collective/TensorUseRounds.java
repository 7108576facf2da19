package io.reactivecomm.collective;

import io.reactivecomm.DType;
import io.reactivecomm.Operation;
import io.reactivecomm.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Checks of memory that is apart, in phases that differ in what they meet: the code in which the JVM's fault was found.
 *
 * <p>Of a hundred runs with classes of their own, three failed on JDK 25.0.3 with «Cannot invoke "TensorUse$Reach.add" because "written" is
 * null», as long as one expression chose between two allocations.
 */
public final class TensorUseRounds implements Runnable {

    private static final int PHASES = 6;
    private static final int LEAST_CALLS = 3_000;
    private static final int MORE_CALLS = 20_000;

    private final Random random = new Random();

    /** Throws where the check does not find what is so. */
    @Override
    public void run() {
        try (Tensor tensor = Tensor.allocate(DType.INT8, 1)) {
            for (int phase = 1 + random.nextInt(PHASES); phase > 0; phase--) {
                phase(tensor);
            }
        }
    }

    private void phase(Tensor tensor) {
        int most = 1 + random.nextInt(12);
        double written = random.nextInt(5) / 4.0;
        double empty = random.nextInt(4) == 0 ? 0.2 : 0;
        double inPlace = random.nextInt(3) / 2.0;
        for (int calls = LEAST_CALLS + random.nextInt(MORE_CALLS); calls > 0; calls--) {
            List<TensorUse> extents = new ArrayList<>();
            long at = 1_000;
            for (int owner = random.nextInt(most); owner >= 0; owner--) {
                long end = at + (random.nextDouble() < empty ? 0 : 8 * (1 + random.nextInt(100)));
                extents.add(new TensorUse(tensor, random.nextDouble() < written, owner, at, end));
                if (random.nextDouble() < inPlace) {
                    extents.add(new TensorUse(tensor, random.nextBoolean(), owner, at, end));
                }
                at = end + 16;
            }
            Collections.shuffle(extents, random);
            TensorUse.requireApart(Operation.COALESCED, extents);
        }
    }
}
