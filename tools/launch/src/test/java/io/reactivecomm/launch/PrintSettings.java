package io.reactivecomm.launch;

import io.reactivecomm.CommConfig;
import io.reactivecomm.TensorLeaks;

/** A program that prints settings of its rank, as the environment and the file that it names give them. */
final class PrintSettings {

    private PrintSettings() {}

    public static void main(String[] arguments) {
        CommConfig config = CommConfig.fromEnvironment(System.getenv());
        System.out.println("lanes=" + config.tuning().lanes() + " transport=" + config.transport() + " leaks="
                + TensorLeaks.level());
    }
}
