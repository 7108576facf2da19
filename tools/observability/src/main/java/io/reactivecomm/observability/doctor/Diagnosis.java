package io.reactivecomm.observability.doctor;

import io.reactivecomm.internal.base.PrintableText;
import java.util.List;

/**
 * The findings that the dumps of a job lead to.
 *
 * @param present ranks of which there is a dump
 * @param absent the world's other ranks
 * @param findings what is wrong, what is nearest to a cause first; empty if nothing is
 * @param warnings a sentence for each other world, whose dumps were left out, and one if calls have no line of the program
 */
public record Diagnosis(List<Integer> present, List<Integer> absent, List<Finding> findings, List<String> warnings) {

    private static final String HEALTHY =
            "No rank waits for another, and none has failed: nothing is wrong as far as these dumps tell.";

    public Diagnosis {
        present = List.copyOf(present);
        absent = List.copyOf(absent);
        findings = List.copyOf(findings);
        warnings = List.copyOf(warnings);
    }

    /** {@return all of it but the warnings, as a paragraph} Names and messages come from programs: what would steer a terminal is left out. */
    public String text() {
        StringBuilder text = new StringBuilder("Dumps of ")
                .append(Words.ranks(present))
                .append(" of ")
                .append(present.size() + absent.size());
        text.append(absent.isEmpty() ? "" : ", none of " + Words.ranks(absent)).append(". ");
        if (findings.isEmpty()) {
            return PrintableText.of(text.append(HEALTHY).toString());
        }
        for (Finding finding : findings) {
            text.append(finding.text())
                    .append(". To do: ")
                    .append(finding.disease().advice())
                    .append(". ");
        }
        return PrintableText.of(text.toString()).stripTrailing();
    }
}
