package io.reactivecomm.samples.programs.world;

import picocli.CommandLine.Option;

/** The option by which the ranks of a sample are linked, for every command that runs them in one way. */
public final class TransportOption {

    @Option(
            names = "--transport",
            paramLabel = "NAME",
            defaultValue = Transport.DEFAULT,
            description = Transport.MEANINGS + " (default: ${DEFAULT-VALUE}).")
    private Transport transport = Transport.TCP;

    /** {@return how the ranks are linked} */
    public Transport chosen() {
        return transport;
    }
}
