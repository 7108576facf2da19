package io.reactivecomm.samples.programs.world;

import io.reactivecomm.CommConfig;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.device.Device;
import java.util.Map;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;

/**
 * The devices of a sample's ranks, and what ranks need beside their links to use them.
 *
 * @param description what they are, to be shown; empty for the host's memory, of which nothing is said
 * @param backend chooses the engines of a rank
 * @param variables of the process of a rank, by its number, where processes are started
 * @param own the device of the rank that a group is
 */
public record RankDevices(
        String description,
        UnaryOperator<CommConfig> backend,
        IntFunction<Map<String, String>> variables,
        Function<ProcessGroup, Device> own) {

    /** The host's memory. */
    public static final RankDevices HOST =
            new RankDevices("", UnaryOperator.identity(), rank -> Map.of(), group -> Device.CPU);
}
