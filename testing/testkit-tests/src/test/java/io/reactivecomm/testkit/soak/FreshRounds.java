package io.reactivecomm.testkit.soak;

/** Runs a class many times, each time as if the JVM had just started: a program of its own, so that a test chooses its JVM's flags. */
final class FreshRounds {

    private FreshRounds() {}

    /** Arguments: a {@link Runnable} class, and how many rounds. Says how many failed. */
    public static void main(String[] args) throws ReflectiveOperationException {
        int rounds = Integer.parseInt(args[1]);
        int failed = 0;
        for (int i = 0; i < rounds; i++) {
            Runnable round = (Runnable)
                    new FreshClasses().loadClass(args[0]).getConstructor().newInstance();
            try {
                round.run();
            } catch (RuntimeException e) {
                failed++;
                System.out.println(e);
            }
        }
        System.out.println("rounds=" + rounds + ", failed=" + failed);
    }
}
