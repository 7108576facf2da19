package io.reactivecomm.samples.programs.world;

import java.io.IOException;

/** A program that watches its launcher and otherwise does nothing until its input ends. */
final class WatchedRank {

    private WatchedRank() {}

    public static void main(String[] arguments) throws IOException {
        LauncherWatch.begin(System.getenv());
        System.out.println("watching");
        System.in.read();
    }
}
