package io.reactivecomm.launch;

import java.util.List;
import java.util.Map;

/**
 * The place of one rank: what starts it there, and the variables that tell it where it is.
 *
 * @param prefix words before its command, such as those that run it in a network namespace; they are to become the command (exec), so that
 *     signals reach it
 * @param variables on top of this process's environment
 */
public record RankPlace(List<String> prefix, Map<String, String> variables) {

    public RankPlace {
        prefix = List.copyOf(prefix);
        variables = Map.copyOf(variables);
    }
}
