package io.reactivecomm.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

/** The thorough profile: it leaves nothing out, and tests tagged {@code thorough} run with it and nowhere else. */
class ThoroughTest {

    /** What the build leaves out; absent where a test is started without Maven. */
    private static final String EXCLUDED = System.getProperty("tests.excluded", "");

    private static final Path PARENT = Path.of(System.getProperty("basedir", ""), "../../pom.xml");

    @Test
    @Tag("thorough")
    void taggedTest_runsOnlyWhereItIsAskedFor() {
        assertThat(EXCLUDED).as("tags that this run leaves out").doesNotContain("thorough");
    }

    @Test
    void profile_leavesNothingOut() throws Exception {
        assertThat(properties("/project/profiles/profile[id='thorough']/properties/*"))
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "excludedGroups", "",
                        "jvm.quick", "${jvm.flags}",
                        "jvm.computing", "${jvm.flags}",
                        "tests.checks", "${checks.of.tests}",
                        "format.checked", "src/*/java/**/*.java",
                        "blockhound.skip", "false",
                        "tls.skip", "false"));
        assertThat(properties("/project/properties/*"))
                .containsEntry("excludedGroups", "thorough ${tests.repeated}")
                .containsEntry("tests.repeated", "| repeated & !smoke");
    }

    private static Map<String, String> properties(String path) throws Exception {
        Document pom =
                DocumentBuilderFactory.newDefaultInstance().newDocumentBuilder().parse(PARENT.toFile());
        NodeList nodes =
                (NodeList) XPathFactory.newDefaultInstance().newXPath().evaluate(path, pom, XPathConstants.NODESET);
        Map<String, String> properties = new HashMap<>();
        for (int i = 0; i < nodes.getLength(); i++) {
            properties.put(nodes.item(i).getNodeName(), nodes.item(i).getTextContent());
        }
        return properties;
    }
}
