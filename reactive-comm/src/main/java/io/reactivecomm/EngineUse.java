package io.reactivecomm;

import java.util.Objects;
import java.util.Set;

/**
 * An engine that this process could use, and its use in a group.
 *
 * @param name the engine's name, as {@link Work#backend()} shows it, such as {@code links} or {@code nccl}
 * @param devices the kinds of devices whose tensors it can take, such as {@code cuda}
 * @param chosenFor the kinds of devices whose tensors it takes in this group; empty if it is not chosen
 * @param why the reason for the choice, with the setting that it follows from
 */
public record EngineUse(String name, Set<String> devices, Set<String> chosenFor, String why) {

    public EngineUse {
        Objects.requireNonNull(name, "name");
        devices = Set.copyOf(Objects.requireNonNull(devices, "devices"));
        chosenFor = Set.copyOf(Objects.requireNonNull(chosenFor, "chosenFor"));
        Objects.requireNonNull(why, "why");
    }

    /** {@return whether it takes the tensors of any device in this group} */
    public boolean isChosen() {
        return !chosenFor.isEmpty();
    }
}
