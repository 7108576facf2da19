package io.reactivecomm.observability.doctor;

import java.util.List;

/**
 * One culprit, or several of one sort.
 *
 * @param culprits ranks of the world
 * @param call the label of the call in which it shows, or empty
 * @param text what is wrong, in a sentence or a few
 */
public record Finding(Disease disease, List<Integer> culprits, String call, String text) {

    public Finding {
        culprits = culprits.stream().distinct().sorted().toList();
    }
}
