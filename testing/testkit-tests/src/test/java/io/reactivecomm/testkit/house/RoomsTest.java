package io.reactivecomm.testkit.house;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rooms of the engine are small, and whoever reads one file need not read all others at once. */
@TestInstance(Lifecycle.PER_CLASS)
class RoomsTest {

    private static final String ROOMS = "io.reactivecomm.internal.";

    private static final int MOST_FILES = 45;
    private static final int MOST_IN_A_CIRCLE = 5;

    private final JavaClasses rooms =
            HouseRules.production(ROOMS + "group", ROOMS + "driver", ROOMS + "engine", ROOMS + "transfer");

    @ParameterizedTest
    @ValueSource(strings = {"group", "driver", "engine", "transfer"})
    void room_hasFewFiles_andNoLargeCircle(String room) {
        String name = ROOMS + room;

        assertThat(rooms.stream()
                        .filter(each -> each.getPackageName().equals(name)
                                && !each.getName().contains("$")))
                .as("files of %s", room)
                .hasSizeBetween(2, MOST_FILES);
        assertThat(Circles.of(rooms, name).all())
                .as("circles of %s", room)
                .allSatisfy(circle -> assertThat(circle).hasSizeLessThanOrEqualTo(MOST_IN_A_CIRCLE));
    }

    /** The steps are a sealed hierarchy, and so is what takes edges; one class is both. */
    @Test
    void sealedHierarchy_countsAsOne() {
        Set<String> largest = Circles.of(rooms, ROOMS + "transfer").all().getFirst();

        assertThat(largest.stream()
                        .filter(each -> each.endsWith("Run") || each.endsWith("Intake") || each.endsWith("FoldInput")))
                .hasSize(1);
    }

    @Test
    void circle_isSeen_whateverLiesBesideIt() {
        Circles circles = new Circles();
        circles.add("a", "b");
        circles.add("b", "c");
        circles.add("c", "a");
        circles.add("c", "leaf");
        circles.add("user", "a");
        circles.add("leaf", "leaf");

        assertThat(circles.all()).containsExactly(Set.of("a", "b", "c"));
    }
}
