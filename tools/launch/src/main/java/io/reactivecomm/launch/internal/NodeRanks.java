package io.reactivecomm.launch.internal;

import io.reactivecomm.RendezvousException;
import java.util.HashMap;
import java.util.Map;

/**
 * The rank of a process under a launcher that numbers nodes and starts one command on each.
 *
 * @param node this node's place, from 0
 * @param nodes the number of nodes
 * @param local this process's place on its node, from 0
 * @param perNode the number of processes on each node
 */
record NodeRanks(int node, int nodes, int local, int perNode) {

    /**
     * {@return the place of this process}
     *
     * <p>A process without LOCAL_RANK is its node's only one, which a number above 1 contradicts. With LOCAL_RANK, which a script sets for each
     * process that it starts, there are as many as the variable says. Where that is a word such as {@code auto}, LOCAL_WORLD_SIZE says it.
     *
     * @param perNodeVariable the number of processes on each node, or a word, as {@code auto}, {@code cpu} and {@code gpu} are for torchrun
     */
    static NodeRanks of(LauncherEnvironment environment, int node, int nodes, String perNodeVariable) {
        String perNodeText = environment.text(perNodeVariable).orElse("1");
        boolean isNumber = !perNodeText.isEmpty() && perNodeText.chars().allMatch(Character::isDigit);
        boolean isAlone = !environment.has("LOCAL_RANK");
        int local = isAlone ? 0 : environment.number("LOCAL_RANK");
        int perNode = isNumber ? environment.number(perNodeVariable, 1) : environment.number("LOCAL_WORLD_SIZE", 1);
        if (isAlone && perNode > 1) {
            throw new RendezvousException(environment.launcher()
                    + " expects several processes on each node, and this one has no place among them: "
                    + perNodeVariable + "=" + perNodeText
                    + ", LOCAL_RANK is not set; set the number of processes of a node to 1, or start each"
                    + " with its LOCAL_RANK");
        }
        if (node >= nodes || local >= Math.max(1, perNode)) {
            throw new RendezvousException(environment.launcher() + " gives this process no place: node=" + node
                    + ", nodes=" + nodes + ", LOCAL_RANK=" + local + ", " + perNodeVariable + "=" + perNodeText
                    + "; count both from 0, and set LOCAL_WORLD_SIZE where the launcher gives no number");
        }
        return new NodeRanks(node, nodes, local, Math.max(1, perNode));
    }

    /** {@return all variables, with this place among them} */
    Map<String, String> place(LauncherEnvironment environment, String address, int port) {
        Map<String, String> place = new HashMap<>(environment.place(
                Integer.toString(node * perNode + local), Integer.toString(nodes * perNode), address, port));
        place.put("LOCAL_RANK", Integer.toString(local));
        place.put("LOCAL_WORLD_SIZE", Integer.toString(perNode));
        place.put("GROUP_RANK", Integer.toString(node));
        place.put("GROUP_WORLD_SIZE", Integer.toString(nodes));
        return Map.copyOf(place);
    }
}
