package io.reactivecomm.launch;

import picocli.CommandLine;

/** {@code rcomm run} with a store that listens nowhere, as a process of its own. */
final class RunProgram {

    private RunProgram() {}

    public static void main(String[] arguments) {
        CommandLine run = RunCommand.commandLine().setExecutionExceptionHandler((error, command, parsed) -> {
            System.err.println(error.getMessage());
            return 1;
        });
        System.exit(run.execute(arguments));
    }
}
