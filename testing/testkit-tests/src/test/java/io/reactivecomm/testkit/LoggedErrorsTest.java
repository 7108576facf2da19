package io.reactivecomm.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.CatchTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.LambdaExpressionTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The rule that loggers get printable errors. An error may be the program's own. Loggers call its methods on the thread that logs and do not catch exceptions from
 * them, so one such error would end a loop. {@code ErrorTexts.printable} and {@code WarningLog.printable} guard against this.
 *
 * <p>Warnings and errors are guarded whatever the error's type. Messages of lower levels are guarded if the type is one that a program's error can have.
 */
class LoggedErrorsTest {

    private static final Path HOUSE = Path.of("..", "..");

    private static final Pattern ERROR = Pattern.compile("(\\w*\\.)*(Throwable|\\w*Exception|\\w*Error)\\b.*");

    private static final Pattern BROAD = Pattern.compile(".*\\b(Throwable|Exception|RuntimeException|Error)\\b.*");

    private static final Set<String> GUARDED = Set.of("warn", "error");

    private static final Set<String> GUARDED_IF_BROAD = Set.of("info", "debug");

    /** A source file's calls of loggers with an error as it was caught. */
    private static final class Offenders extends TreeScanner<Void, Void> {

        private final List<String> found = new ArrayList<>();
        private final Map<String, String> types = new HashMap<>();
        private int calls;

        @Override
        public Void visitVariable(VariableTree variable, Void nothing) {
            types.put(variable.getName().toString(), String.valueOf(variable.getType()));
            return super.visitVariable(variable, nothing);
        }

        @Override
        public Void visitLambdaExpression(LambdaExpressionTree lambda, Void nothing) {
            return inScope(() -> super.visitLambdaExpression(lambda, nothing));
        }

        @Override
        public Void visitCatch(CatchTree handler, Void nothing) {
            return inScope(() -> super.visitCatch(handler, nothing));
        }

        @Override
        public Void visitMethod(MethodTree method, Void nothing) {
            return inScope(() -> super.visitMethod(method, nothing));
        }

        /** Names that are declared in it are those of others again behind it. */
        private Void inScope(Supplier<Void> visit) {
            Map<String, String> outer = Map.copyOf(types);
            Void nothing = visit.get();
            types.clear();
            types.putAll(outer);
            return nothing;
        }

        @Override
        public Void visitMethodInvocation(MethodInvocationTree call, Void nothing) {
            if (call.getMethodSelect() instanceof MemberSelectTree method
                    && method.getExpression().toString().equals("LOG")) {
                calls++;
                String level = method.getIdentifier().toString();
                call.getArguments().stream()
                        .filter(argument -> isBare(argument, level))
                        .forEach(argument -> found.add(call.toString()));
            }
            return super.visitMethodInvocation(call, nothing);
        }

        private boolean isBare(ExpressionTree argument, String level) {
            String type = argument instanceof IdentifierTree
                    ? types.getOrDefault(argument.toString(), "")
                    : argument.toString().endsWith(".getCause()") ? "Throwable" : "";
            return ERROR.matcher(type).matches()
                    && (GUARDED.contains(level)
                            || GUARDED_IF_BROAD.contains(level)
                                    && BROAD.matcher(type).matches());
        }
    }

    private static Offenders offenders(String text) throws IOException {
        JavaFileObject source = new SimpleJavaFileObject(Path.of("Source.java").toUri(), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return text;
            }
        };
        JavacTask task =
                (JavacTask) ToolProvider.getSystemJavaCompiler().getTask(null, null, null, null, null, List.of(source));
        Offenders offenders = new Offenders();
        for (CompilationUnitTree unit : task.parse()) {
            unit.accept(offenders, null);
        }
        return offenders;
    }

    @ParameterizedTest
    @CsvSource({
        "reactive-comm, 50",
        "transport/netty, 20",
        "transport/shm, 3",
        "engine/mpi, 5",
        "engine/nccl, 5",
        "compression, 0",
        "integrations/pytorch, 2",
        "integrations/spark, 2",
        "tools/launch, 0",
        "tools/rcomm, 0",
        "samples/programs, 0"
    })
    void loggedError_isPrintable(String module, int fewest) throws IOException {
        List<String> found = new ArrayList<>();
        int calls = 0;
        for (Path source : sources(HOUSE.resolve(module).resolve("src/main/java"))) {
            String text = Files.readString(source);
            if (text.contains("LOG.")) {
                Offenders offenders = offenders(text);
                calls += offenders.calls;
                offenders.found.forEach(each -> found.add(source.getFileName() + ": " + each));
            }
        }
        assertThat(calls).as("calls of loggers in %s", module).isGreaterThanOrEqualTo(fewest);
        assertThat(found)
                .as("errors given to a logger as they are; give ErrorTexts.printable or WarningLog.printable of them")
                .isEmpty();
    }

    private static List<Path> sources(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList();
        }
    }

    @Test
    void bareError_isSeen() throws IOException {
        assertThat(found("try { run(); } catch (RuntimeException | Error e) { LOG.warn(\"a {}\", name, e); }"))
                .containsExactly("LOG.warn(\"a {}\", name, e)");
        assertThat(found("try { run(); } catch (java.io.IOException e) { LOG.error(\"a\", e); }"))
                .hasSize(1);
        assertThat(found("try { run(); } catch (Exception e) { LOG.debug(\"a\", e.getCause()); }"))
                .hasSize(1);
        assertThat(found("Throwable thrown = last(); LOG.info(\"a\", thrown);")).hasSize(1);
        assertThat(found("try { run(); } catch (Exception e) { each(e -> take(e)); LOG.error(\"a\", e); }"))
                .as("the parameter of a lambda is another variable")
                .hasSize(1);
    }

    @Test
    void printableError_orOneOfANarrowType_isNoOffender() throws IOException {
        assertThat(found("try { run(); } catch (Error e) { LOG.warn(\"a\", ErrorTexts.printable(e)); }"))
                .isEmpty();
        assertThat(found("try { run(); } catch (java.io.IOException e) { LOG.debug(\"a\", e); }"))
                .isEmpty();
        assertThat(found("String e = last(); LOG.warn(\"a\", e);")).isEmpty();
    }

    private static List<String> found(String body) throws IOException {
        return offenders("class Source { void method() { " + body + " } }").found;
    }
}
