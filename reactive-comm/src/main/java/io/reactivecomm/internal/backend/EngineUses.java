package io.reactivecomm.internal.backend;

import io.reactivecomm.EngineUse;
import io.reactivecomm.internal.base.ErrorTexts;
import io.reactivecomm.internal.base.Providers;
import io.reactivecomm.spi.engine.EngineProvider;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The engines on the class path, and what a choice makes of each. */
final class EngineUses {

    private final BackendChoice choice;

    EngineUses(BackendChoice choice) {
        this.choice = choice;
    }

    /** {@return all of them: the one over links, then the others by name} */
    List<EngineUse> all() {
        List<EngineUse> all = new ArrayList<>();
        Providers.of(EngineProvider.class).loaded().forEach(provider -> addUse(all, provider));
        all.sort(Comparator.comparing(EngineUse::name));
        all.addFirst(ofLinks());
        return List.copyOf(all);
    }

    private EngineUse ofLinks() {
        Set<String> chosenFor = choice.devicesOf(BackendChoice.LINKS);
        boolean isNamed = BackendChoice.named(choice.text()).contains(BackendChoice.LINKS);
        String why = chosenFor.isEmpty()
                ? setting() + " chooses another; it performs what that one refuses, and barriers"
                : isNamed
                        ? setting() + " chooses it"
                        : "the default; " + setting() + " chooses no other for " + listed(chosenFor);
        return new EngineUse(
                BackendChoice.LINKS, BackendChoice.LINKS_ONLY.engines().keySet(), chosenFor, why);
    }

    /** A provider that fails is another module's fault, and no reason to hide the others. */
    private void addUse(List<EngineUse> all, EngineProvider provider) {
        try {
            Set<String> chosenFor = choice.devicesOf(provider.name());
            String why = chosenFor.isEmpty()
                    ? setting() + " does not choose it; RCOMM_BACKEND=" + provider.name() + " would"
                    : setting() + " chooses it";
            all.add(new EngineUse(provider.name(), provider.devices(), chosenFor, why));
        } catch (Exception | LinkageError | AssertionError | StackOverflowError e) {
            all.add(new EngineUse(
                    provider.getClass().getName(),
                    Set.of(),
                    Set.of(),
                    "its provider failed when it was asked for its devices: " + ErrorTexts.describe(e)));
        }
    }

    private String setting() {
        return "backend=" + choice.text();
    }

    private static String listed(Set<String> devices) {
        return new TreeSet<>(devices).stream().collect(Collectors.joining(", "));
    }
}
