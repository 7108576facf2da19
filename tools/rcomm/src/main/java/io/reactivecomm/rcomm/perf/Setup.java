package io.reactivecomm.rcomm.perf;

import io.reactivecomm.samples.programs.world.Transport;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.ITypeConverter;

/**
 * One way to run ours.
 *
 * @param transport how ranks are linked
 * @param buffers where the tensors live
 */
record Setup(Transport transport, Buffers buffers) {

    private static final String BETWEEN = "/";

    /** {@return each transport with each kind of buffers, in that order} */
    static List<Setup> all(List<Transport> transports, List<Buffers> buffers) {
        List<Setup> setups = new ArrayList<>();
        for (Transport transport : transports) {
            buffers.forEach(kind -> setups.add(new Setup(transport, kind)));
        }
        return setups.stream().distinct().toList();
    }

    /** {@return what reads {@link #toString()}} */
    static ITypeConverter<Setup> converter(ITypeConverter<Transport> transport, ITypeConverter<Buffers> buffers) {
        return text -> {
            String[] names = text.split(BETWEEN, 2);
            return new Setup(transport.convert(names[0]), buffers.convert(names[names.length - 1]));
        };
    }

    @Override
    public String toString() {
        return transport + BETWEEN + buffers;
    }
}
