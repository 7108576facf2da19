package io.reactivecomm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The bill of materials, which has no parent. */
class BomTest {

    private static final Path HOUSE = Path.of("").toAbsolutePath().getParent();
    private static final Pattern NETTY = Pattern.compile("<netty\\.version>([^<]+)</netty\\.version>");

    private static String netty(Path pom) throws IOException {
        return NETTY.matcher(Files.readString(pom))
                .results()
                .map(MatchResult::group)
                .findFirst()
                .orElse("none in " + pom);
    }

    @Test
    void netty_isOfTheVersionThatTheProjectIsBuiltWith() throws IOException {
        assertThat(netty(HOUSE.resolve("bom/pom.xml"))).isEqualTo(netty(HOUSE.resolve("pom.xml")));
    }
}
