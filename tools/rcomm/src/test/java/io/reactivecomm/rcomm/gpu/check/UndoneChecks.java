package io.reactivecomm.rcomm.gpu.check;

import io.reactivecomm.nccl.NcclProbe;
import io.reactivecomm.nccl.cuda.CudaDevice;
import java.util.Map;

/** A program that verifies what has not been done: each verification has to say so. */
public final class UndoneChecks {

    private static final CheckSizes SMALL = new CheckSizes(3, 8, 0, 1, 64);

    private UndoneChecks() {}

    /** A verification, which throws. */
    private interface Verification {

        void run() throws Exception;
    }

    public static void main(String[] arguments) {
        Map<String, String> environment = System.getenv();
        NcclProbe nccl = NcclProbe.open(environment);
        try (CudaDevice device = CudaDevice.open(Machine.DEVICE, "test")) {
            say("program", () -> endAtOnce(nccl));
            device.launches().call(() -> {
                say("pairs", () -> verifyPairs(device, nccl));
                say("copies", UndoneChecks::verifyCopies);
                say("kernel", () -> verifyKernel(device));
                return true;
            });
        }
        System.exit(0);
    }

    private static void say(String name, Verification verification) {
        try {
            verification.run();
            System.out.println(name + ": verified");
        } catch (Exception e) {
            System.out.println(name + ": " + e.getMessage());
        }
    }

    private static void endAtOnce(NcclProbe nccl) throws Exception {
        try (CProgram program = CProgram.start(nccl.name(), SMALL)) {
            program.end();
        }
    }

    private static void verifyPairs(CudaDevice device, NcclProbe nccl) {
        try (Pairs pairs = new Pairs(nccl, device.launches().stream(), SMALL)) {
            pairs.verify();
        }
    }

    private static void verifyCopies() {
        try (RoundTrip copies = new RoundTrip(SMALL.copyBytes())) {
            copies.verify();
        }
    }

    /** A turn less than is asked for. */
    private static void verifyKernel(CudaDevice device) {
        try (SpinKernel kernel = new SpinKernel(Machine.DEVICE)) {
            var stream = device.launches().stream().raw();
            kernel.launch(7, stream);
            CudaCall.synchronize(stream);
            kernel.verify(8);
        }
    }
}
