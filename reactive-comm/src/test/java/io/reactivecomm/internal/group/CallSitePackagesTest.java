package io.reactivecomm.internal.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The frames that a call's place passes over are those of all packages of the library, and of no other. */
class CallSitePackagesTest {

    @Test
    void packages_areThoseOfTheLibrary() throws IOException, URISyntaxException {
        Path classes = Path.of(CallSite.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        try (Stream<Path> files = Files.walk(classes)) {
            Set<String> packages = files.filter(file -> file.toString().endsWith(".class"))
                    .map(file -> classes.relativize(file.getParent()).toString().replace('/', '.'))
                    .collect(Collectors.toSet());

            assertThat(CallSite.packages()).isEqualTo(packages);
        }
    }

    /** A class of the same package that is not the library's is a caller. */
    @Test
    void place_isTheFirstFrameThatIsNotTheLibrarys() {
        assertThat(CallSite.here()).startsWith(CallSitePackagesTest.class.getName() + ".place_isTheFirstFrame");
    }
}
