package io.reactivecomm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.reactivecomm.TensorLeaks.Level;
import io.reactivecomm.internal.memory.CountedMemory;
import java.lang.foreign.Arena;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** Tensors that nobody closes are told of, and no others. */
@Timeout(60)
class TensorLeaksTest {

    private static final Logger LOGGER = (Logger) LoggerFactory.getLogger(TensorLeaks.class);

    private static final int MOST_COLLECTIONS = 50;

    private final CountedMemory memory = new CountedMemory();
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final Level before = TensorLeaks.level();

    @BeforeEach
    void listen() {
        log.start();
        LOGGER.addAppender(log);
        TensorLeaks.watch(Level.ALL);
    }

    @AfterEach
    void stop() {
        LOGGER.detachAppender(log);
        TensorLeaks.watch(before);
    }

    /** {@return as {@link #told}, once there is one or many collections have found none} */
    private List<String> awaitTold(String method) {
        for (int i = 0; i < MOST_COLLECTIONS && told(method).isEmpty(); i++) {
            CountedMemory.collectAll();
        }
        CountedMemory.collectAll();
        return told(method);
    }

    /** {@return as {@link #told}, after all that is unreachable was found} */
    private List<String> finallyTold(String method) {
        CountedMemory.collectAll();
        return told(method);
    }

    /** {@return the warnings about tensors that were allocated in a method of that name} */
    private List<String> told(String method) {
        return List.copyOf(log.list).stream()
                .map(ILoggingEvent::getFormattedMessage)
                .filter(text -> text.contains(TensorLeaksTest.class.getName() + "." + method))
                .toList();
    }

    @Test
    void dropped_isToldWithItsPlace_onceForEach() {
        for (int i = 0; i < 10; i++) {
            dropHere(i);
        }
        assertThat(memory.isGivenBack(10)).isTrue();
        assertThat(awaitTold("dropHere"))
                .singleElement()
                .asString()
                .contains("shape=[", "type=INT32", "close each tensor after its last use");
        assertThat(TensorLeaks.places())
                .anyMatch(
                        place -> place.startsWith(TensorLeaksTest.class.getName() + ".dropHere(TensorLeaksTest.java:"));
    }

    private void dropHere(int size) {
        Tensor.allocate(memory, DType.INT32, size);
    }

    @Test
    void eachWayToMakeOne_isToldByItsCaller() {
        dropUsual();
        dropOf();
        try (LocalWorld world = ReactiveComm.local(1)) {
            dropOfGroup(world.groups().getFirst());
        }
        assertThat(awaitTold("dropUsual")).hasSize(1);
        assertThat(awaitTold("dropOf(")).hasSize(1);
        assertThat(awaitTold("dropOfGroup"))
                .singleElement()
                .asString()
                .contains("allocated=" + TensorLeaksTest.class.getName() + ".dropOfGroup(");
    }

    private void dropUsual() {
        Tensor.allocate(DType.INT32, 4);
    }

    private void dropOf() {
        Tensor.of(new int[] {1, 2});
    }

    private void dropOfGroup(ProcessGroup group) {
        group.allocate(DType.INT32, 4);
    }

    @Test
    void closed_isNotTold_norIsMemoryOfTheProgram() {
        closeHere();
        wrapHere();
        assertThat(finallyTold("closeHere")).isEmpty();
        assertThat(finallyTold("wrapHere")).isEmpty();
    }

    private void closeHere() {
        Tensor.allocate(DType.INT32, 4).close();
        try (Tensor whole = Tensor.of(new int[] {1, 2})) {
            whole.slice(0, 1).close();
        }
    }

    private void wrapHere() {
        Tensor.wrap(Arena.ofAuto().allocate(4, 4), DType.INT32, 1);
    }

    /** A call that never ends is not the program's doing: it has closed its tensor. */
    @Test
    void closedWhileBorrowedForEver_isNotTold() {
        closeBorrowed();
        assertThat(memory.isGivenBack(1)).isTrue();
        assertThat(finallyTold("closeBorrowed")).isEmpty();
    }

    private void closeBorrowed() {
        Tensor tensor = Tensor.allocate(memory, DType.INT32, 4);
        tensor.borrow();
        tensor.close();
    }

    @Test
    void off_nothingIsTold() {
        TensorLeaks.watch(Level.OFF);
        dropSilently();
        assertThat(memory.isGivenBack(1)).isTrue();
        assertThat(finallyTold("dropSilently")).isEmpty();
    }

    private void dropSilently() {
        Tensor.allocate(memory, DType.INT32, 4);
    }

    /** That none of so many is in the sample has a chance of 1 in 10¹³. */
    @Test
    void simple_manyDropped_onePlaceIsTold_andOnceThatThereAreOthers() {
        TensorLeaks.watch(Level.SIMPLE);
        for (int i = 0; i < 2_000; i++) {
            sampled(i);
        }
        assertThat(memory.isGivenBack(2_000)).isTrue();
        assertThat(awaitTold("sampled")).hasSize(1);
        assertThat(log.list.stream().filter(event -> event.getFormattedMessage().contains("place=not noted")))
                .hasSizeLessThanOrEqualTo(1);
    }

    private void sampled(long size) {
        Tensor.allocate(memory, DType.INT8, size);
    }

    @Test
    void environment_namesTheLevel_orIsAnError() {
        assertThat(List.of(Level.parse("off"), Level.parse(""), Level.parse("Simple"), Level.parse(" ALL ")))
                .containsExactly(Level.OFF, Level.SIMPLE, Level.SIMPLE, Level.ALL);
        Map<String, String> environment = new HashMap<>(Map.of("RANK", "0", "WORLD_SIZE", "1", "RCOMM_LEAKS", "all"));
        assertThat(CommConfig.fromEnvironment(environment).rank()).isZero();
        environment.put("RCOMM_LEAKS", "paranoid");
        assertThatThrownBy(() -> CommConfig.fromEnvironment(environment))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("RCOMM_LEAKS=paranoid; choose off, simple or all");
    }

    @Test
    void places_isACopy() {
        Set<String> places = TensorLeaks.places();
        assertThatThrownBy(() -> places.add("here")).isInstanceOf(UnsupportedOperationException.class);
    }
}
