package io.reactivecomm.spi;

import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** The opener of the memory of one kind of devices for engines of other modules; found through {@link ServiceLoader}. */
public interface RankMemoryProvider {

    /** {@return the kind of the devices, as {@link io.reactivecomm.Device#kind()} has it} */
    String kind();

    /** {@return the memory as the rank of an engine uses it} No device is opened by that, and no driver is needed. */
    RankMemory open(EngineContext context);

    /**
     * {@return the provider of a kind on the class path, or null}
     *
     * @throws ServiceConfigurationError if a provider cannot be loaded
     */
    static @Nullable RankMemoryProvider of(String kind) {
        return ServiceLoader.load(RankMemoryProvider.class, RankMemoryProvider.class.getClassLoader()).stream()
                .map(ServiceLoader.Provider::get)
                .filter(each -> each.kind().equals(kind))
                .findFirst()
                .orElse(null);
    }
}
