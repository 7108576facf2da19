package io.reactivecomm.netty;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The list of Netty's jars whose versions are checked. */
class DependencyListTest {

    @Test
    void eachClassOfTheList_isOnTheClassPath_inTheJarThatTheLineNames() throws IOException {
        ClassLoader loader = DependencyListTest.class.getClassLoader();
        List<URL> lists = Collections.list(loader.getResources("META-INF/reactive-comm/dependencies"));
        assertThat(lists.stream().flatMap(DependencyListTest::lines).filter(line -> line.startsWith("Netty ")))
                .isNotEmpty()
                .allSatisfy(line -> {
                    String[] words = line.split(" ");
                    assertThat(loader.getResource(words[3]))
                            .asString()
                            .contains(words[1].substring(words[1].indexOf(':') + 1) + "-4.");
                });
    }

    private static Stream<String> lines(URL list) {
        try {
            return new String(list.openStream().readAllBytes(), StandardCharsets.UTF_8).lines();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
