package io.reactivecomm.simulator;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Loads the library and the simulator anew, with a planted bug. */
final class MutantLoader extends ClassLoader {

    private static final String OWN = "io.reactivecomm.";

    private final Map<String, byte[]> wrong;

    /** @param mutant the bug, or null for none */
    MutantLoader(@Nullable Mutant mutant) {
        super(MutantLoader.class.getClassLoader());
        // Here and not on demand: a bug that cannot be planted must not look like one that was found.
        wrong = mutant == null ? Map.of() : Map.of(mutant.type(), mutant.planted(sound(mutant.type())));
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(OWN)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            if (loaded == null) {
                byte[] bytes = wrong.containsKey(name) ? wrong.get(name) : sound(name);
                loaded = defineClass(name, bytes, 0, bytes.length);
            }
            return loaded;
        }
    }

    private static byte[] sound(String name) {
        try (InputStream in =
                MutantLoader.class.getClassLoader().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new IllegalArgumentException("no such class: " + name);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read a class: " + name, e);
        }
    }
}
