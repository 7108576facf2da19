package io.reactivecomm.spi;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The remedies for denied native access, in a JVM that permits it to the class path. */
class NativeAccessTest {

    private static StackTraceElement frame(String module, String type, String method) {
        return new StackTraceElement("app", module, "1", type, method, "Source.java", 1);
    }

    private static IllegalCallerException denied(String module) {
        IllegalCallerException denied = new IllegalCallerException("Illegal native access from module " + module);
        denied.setStackTrace(new StackTraceElement[] {
            frame("java.base", "java.lang.Module", "ensureNativeAccess"),
            frame("java.base", "jdk.internal.reflect.Reflection", "ensureNativeAccess"),
            frame(module, "org.example.Part", "open"),
            frame("org.example.program", "org.example.Main", "main")
        });
        return denied;
    }

    @Test
    void callOfANamedModule_isDenied_andTheModuleIsNamed() {
        assertThat(NativeAccess.reason(new IllegalStateException("no start", denied("org.example.part"))))
                .startsWith("this JVM denies native access (java.lang.IllegalCallerException: ")
                .endsWith("; pass --enable-native-access=org.example.part to the JVM");
    }

    @Test
    void otherProblem_hasNoSuchRemedy() {
        assertThat(NativeAccess.reason(new UnsatisfiedLinkError("no such library")))
                .isEqualTo("java.lang.UnsatisfiedLinkError: no such library");
    }
}
