package io.reactivecomm.internal.base;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;

/**
 * The providers of a service on the library's class path. A provider that cannot be loaded is left out, and its reason is logged once per process.
 *
 * @param loaded the usable providers, in the order of the class path
 * @param failures the reason for each provider that cannot be loaded
 */
public record Providers<T>(List<T> loaded, List<String> failures) {

    private static final Logger LOG = Warnings.of(Providers.class);

    /** Bounds the attempts with a loader that fails each time. */
    private static final int MOST_FAILURES = 100;

    private static final Set<String> SAID = ConcurrentHashMap.newKeySet();

    /** {@return the providers that the service's own class loader finds} */
    public static <T> Providers<T> of(Class<T> service) {
        Iterator<T> found =
                ServiceLoader.load(service, service.getClassLoader()).iterator();
        List<T> loaded = new ArrayList<>();
        List<String> failures = new ArrayList<>();
        while (failures.size() < MOST_FAILURES) {
            try {
                if (!found.hasNext()) {
                    break;
                }
                loaded.add(found.next());
            } catch (ServiceConfigurationError | LinkageError e) {
                failures.add(reason(e));
            }
        }
        failures.stream().filter(SAID::add).forEach(each -> LOG.warn("a part of the class path is left out: {}", each));
        return new Providers<>(List.copyOf(loaded), List.copyOf(failures));
    }

    private static String reason(Error problem) {
        Throwable first = Causes.first(problem);
        String text = ErrorTexts.message(problem);
        return first == problem ? text : text + ", cause=" + ErrorTexts.describe(first);
    }

    /** {@return a part of an error's text about the providers that could not be loaded; empty if all were} */
    public String failuresText() {
        return failures.isEmpty() ? "" : ", leftOut=" + failures;
    }
}
