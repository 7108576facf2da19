package io.reactivecomm.testkit.soak;

import java.io.IOException;
import java.io.InputStream;

/**
 * The project's classes once more, as if just started: the JVM has not compiled them yet, and compiles them by what they do from here on.
 *
 * <p>What a compiler does wrongly depends on which branches it has seen. A JVM that runs for half an hour compiles a method a few times; with
 * classes of their own, many rounds of some seconds each compile it in as many ways.
 */
final class FreshClasses extends ClassLoader {

    private static final String PROJECT = "io.reactivecomm.";

    FreshClasses() {
        super(FreshClasses.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(PROJECT)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> known = findLoadedClass(name);
            return known == null ? define(name) : known;
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        try (InputStream file = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (file == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] bytes = file.readAllBytes();
            return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }
}
