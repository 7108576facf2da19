package io.reactivecomm.rcomm.perf;

import java.io.IOException;

/** Computes until its standard input ends, which is at the latest when the process ends that started it. */
final class BusyProgram {

    private static volatile boolean isOver;

    private BusyProgram() {}

    /** Says that it computes by writing a line. */
    public static void main(String[] args) {
        Thread.ofPlatform().daemon().start(BusyProgram::awaitEnd);
        System.out.println("busy");
        while (!isOver) {
            Thread.onSpinWait();
        }
    }

    private static void awaitEnd() {
        try {
            while (System.in.read() >= 0) {}
        } catch (IOException e) {
            // The pipe is gone, and so is the process at its other end.
        }
        isOver = true;
    }
}
