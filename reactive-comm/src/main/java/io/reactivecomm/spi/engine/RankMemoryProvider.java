package io.reactivecomm.spi.engine;

import io.reactivecomm.internal.base.Providers;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** The opener of the memory of one kind of devices for engines of other modules; found through {@link ServiceLoader}. */
public interface RankMemoryProvider {

    /** {@return the kind of the devices, as {@link io.reactivecomm.device.Device#kind()} has it} */
    String kind();

    /** {@return the memory as the rank of an engine uses it} Opens no device and needs no driver. */
    RankMemory open(EngineContext context);

    /** {@return the provider of a kind on the class path, or null} A provider that cannot be loaded is left out, and its reason is logged. */
    static @Nullable RankMemoryProvider of(String kind) {
        return Providers.of(RankMemoryProvider.class).loaded().stream()
                .filter(each -> each.kind().equals(kind))
                .findFirst()
                .orElse(null);
    }

    /** {@return a part of an error's text about the providers that cannot be loaded; empty if all can} */
    static String leftOut() {
        return Providers.of(RankMemoryProvider.class).failuresText();
    }
}
