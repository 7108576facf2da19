package io.reactivecomm.launch;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.spi.rendezvous.StoreHost;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The look-up of the store that ranks meet at. */
class StoreHostLookupTest {

    @Test
    void providerThatCannotBeLoaded_isAnErrorOfTheLauncher(@TempDir Path folder) throws IOException {
        Path services = Files.createDirectories(folder.resolve("META-INF/services"));
        Files.writeString(services.resolve(StoreHost.class.getName()), "io.example.Missing");
        try (URLClassLoader classes =
                new URLClassLoader(new URL[] {folder.toUri().toURL()}, null)) {
            assertThatThrownBy(() -> LocalJob.findStoreHost(classes))
                    .isInstanceOf(LaunchException.class)
                    .hasMessageContaining("io.example.Missing");
        }
    }

    @Test
    void noProvider_isAnErrorThatNamesTheModule() throws IOException {
        try (URLClassLoader classes = new URLClassLoader(new URL[0], null)) {
            assertThatThrownBy(() -> LocalJob.findStoreHost(classes))
                    .isInstanceOf(LaunchException.class)
                    .hasMessageContaining("reactive-comm-netty");
        }
    }
}
