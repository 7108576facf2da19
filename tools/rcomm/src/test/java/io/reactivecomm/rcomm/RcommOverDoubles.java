package io.reactivecomm.rcomm;

import io.reactivecomm.nccl.doubles.CudaDouble;
import io.reactivecomm.samples.programs.device.Gpus;

/** The command in this process, and then the faults that the double of CUDA has found in its use, if it ran on one. */
final class RcommOverDoubles {

    private RcommOverDoubles() {}

    public static void main(String[] arguments) {
        int code = Rcomm.commandLine().execute(arguments);
        if (Gpus.ofProcess().areDoubles()) {
            System.out.println("faults: " + CudaDouble.JVM.faults());
        }
        System.exit(code);
    }
}
