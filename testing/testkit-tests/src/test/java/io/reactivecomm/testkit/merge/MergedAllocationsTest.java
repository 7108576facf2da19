package io.reactivecomm.testkit.merge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.Tensor;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MergedAllocationsTest {

    private static final String KEPT =
            "who gets it keeps it in an object that outlives the method, whenever it was made";
    private static final String COLD = "runs once for each connection or failure";

    private static final Map<String, String> EXEMPT = Map.ofEntries(
            Map.entry("CommConfig.of", COLD),
            Map.entry("Member.begin", COLD),
            Map.entry("HostTensor.allocate", KEPT + ": the tensor's life"),
            Map.entry("Kernels.standard", KEPT + ": the kernel"),
            Map.entry("Binding.bind", KEPT + ": the call"),
            Map.entry(
                    "Binding.runs",
                    KEPT + ": the runs whose steps use the scratch, and there are some if it is not empty"),
            Map.entry("Inbox.pumpAhead", KEPT + ": the pieces under way"),
            Map.entry("ReceiveRun.next", KEPT + ": the pieces under way"),
            Map.entry("SendRun.sendPacked", KEPT + ": the outbox"),
            Map.entry("ScheduledCollective.of", KEPT + ": the section, and that the call"),
            Map.entry("RingAllGather.schedule", KEPT + ": the schedule's steps"));

    @Test
    void library_hasNone() {
        new MergedAllocations(Tensor.class).requireNone("io.reactivecomm", EXEMPT);
    }

    @Test
    void badShapes_areSeen() {
        assertThat(methodsFound("Shapes$Bad"))
                .containsExactlyInAnyOrder(methodsOf(Shapes.Bad.class, "made", "one", "two"));
    }

    @Test
    void goodShapes_areLetPass() {
        assertThat(methodsOf(Shapes.Good.class)).isNotEmpty();
        assertThat(methodsFound("Shapes$Good")).isEmpty();
    }

    private static List<String> methodsFound(String type) {
        return new MergedAllocations(Shapes.class)
                .findings(Shapes.class.getPackageName()).stream()
                        .map(MergedUse::method)
                        .filter(method -> method.startsWith(type + "."))
                        .map(method -> method.substring(type.length() + 1))
                        .distinct()
                        .toList();
    }

    private static String[] methodsOf(Class<?> type, String... aside) {
        List<String> others = List.of(aside);
        return Arrays.stream(type.getDeclaredMethods())
                .map(java.lang.reflect.Method::getName)
                .filter(name -> !others.contains(name))
                .toArray(String[]::new);
    }

    @Test
    void finding_isToldWithItsPlace_andExemptionsWithoutOneAreToo() {
        MergedAllocations search = new MergedAllocations(Shapes.class);
        Map<String, String> all = new HashMap<>();
        search.findings(Shapes.class.getPackageName()).forEach(finding -> all.put(finding.method(), "a test's"));
        String one = "Shapes$Bad.newOrGiven";

        search.requireNone(Shapes.class.getPackageName(), all);
        all.remove(one);
        assertThatThrownBy(() -> search.requireNone(Shapes.class.getPackageName(), all))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(one + ", line ")
                .hasMessageContaining("new Shapes$Box");
        all.put(one, "a test's");
        all.put("Shapes$Good.dead", "nothing is there");
        assertThatThrownBy(() -> search.requireNone(Shapes.class.getPackageName(), all))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("Shapes$Good.dead");
    }
}
