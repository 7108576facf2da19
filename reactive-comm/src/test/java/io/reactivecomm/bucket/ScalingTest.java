package io.reactivecomm.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScalingTest {

    /** In a loader of its own, where nothing has been initialized yet. */
    @Test
    void constants_areThere_whicheverTypeIsTouchedFirst() throws Exception {
        for (String first : List.of("Scaling$Standard", "Scaling$Predivide", "Scaling", "BucketOptions")) {
            try (URLClassLoader fresh = new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader())) {
                String packageName = Scaling.class.getPackageName() + ".";
                Class.forName(packageName + first, true, fresh);
                Object sum = fresh.loadClass(packageName + "Scaling").getField("SUM").get(null);
                assertThat(sum).as("after %s", first).isSameAs(fresh.loadClass(packageName + "Scaling$Standard").getEnumConstants()[0]);
            }
        }
    }

    private static URL[] classPath() throws MalformedURLException {
        List<URL> urls = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        return urls.toArray(URL[]::new);
    }
}
