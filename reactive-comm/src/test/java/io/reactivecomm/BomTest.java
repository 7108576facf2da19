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

    /** A profile cannot activate another, so both list the modules. */
    @Test
    void release_hasTheModulesOfIntegrations() throws IOException {
        assertThat(modulesOf("release")).contains("integrations/").isEqualTo(modulesOf("integrations"));
    }

    private static String modulesOf(String profile) throws IOException {
        String pom = Files.readString(HOUSE.resolve("pom.xml"));
        int start = pom.indexOf("<modules>", pom.indexOf("<id>" + profile + "</id>"));
        return pom.substring(start, pom.indexOf("</modules>", start));
    }
}
