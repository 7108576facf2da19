package io.reactivecomm.internal.composite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonCodecTest {

    enum Color {
        RED,
        GREEN
    }

    record Point(int x, double y, String name) {}

    record Everything(
            boolean flag,
            long big,
            float small,
            Color color,
            byte[] bytes,
            List<Point> points,
            Map<String, Integer> counts,
            Optional<String> note) {

        /** Not a component, so it does not travel. */
        public int getNumberOfPoints() {
            return points.size();
        }
    }

    record Box(Object content) {}

    private static <T> T decoded(Class<T> type, String json) {
        return new JsonCodec<>(type).decode(json.getBytes(StandardCharsets.UTF_8));
    }

    private static <T> T there(T value, Class<T> type) {
        JsonCodec<T> codec = new JsonCodec<>(type);
        return codec.decode(codec.encode(value));
    }

    @Test
    void record_ofEverything_comesBack() {
        Everything value = new Everything(
                true,
                Long.MIN_VALUE,
                -0.0f,
                Color.GREEN,
                new byte[] {1, -2},
                List.of(new Point(1, 2.5, "ä\u0000\"")),
                Map.of("a", 1),
                Optional.empty());

        assertThat(there(value, Everything.class)).usingRecursiveComparison().isEqualTo(value);
    }

    @Test
    void doubles_specialOnes_comeBack() {
        for (double value :
                new double[] {Double.NaN, Double.POSITIVE_INFINITY, -0.0, Double.MIN_VALUE, Double.MAX_VALUE}) {
            assertThat(there(new Point(0, value, ""), Point.class)).isEqualTo(new Point(0, value, ""));
        }
    }

    record Measured(BigDecimal exact, float small, Double boxed, double[] many, List<Object> any) {}

    /** Where no type says that a value is a number, NaN was text. */
    @Test
    void specialNumbers_ofNoDeclaredType_comeBackAsNumbers() {
        Map<String, Object> inner = Map.of("nan", Double.NaN, "text", "NaN", "least", Double.NEGATIVE_INFINITY);
        Map<String, Object> value =
                Map.of("inner", inner, "list", List.of(Double.POSITIVE_INFINITY, Double.NaN, 1.5), "nan", Double.NaN);

        assertThat(there(value, Map.class)).isEqualTo(value);
        assertThat(there(value, Object.class)).isEqualTo(value);
        assertThat(there(List.of(Double.NaN, value), List.class)).isEqualTo(List.of(Double.NaN, value));
        assertThat(there(new Box(Double.NaN), Box.class)).isEqualTo(new Box(Double.NaN));
        assertThat(there(new Box(value), Box.class)).isEqualTo(new Box(value));
        assertThat(there(Map.of("nan", Float.NaN), Map.class)).isEqualTo(Map.of("nan", Double.NaN));
        assertThat(there(Double.NaN, Double.class)).isNaN();
        assertThat(there(new float[] {Float.NaN, Float.NEGATIVE_INFINITY}, float[].class))
                .containsExactly(Float.NaN, Float.NEGATIVE_INFINITY);
    }

    @Test
    void specialNumbers_ofDeclaredTypes_comeBack() {
        Measured value = new Measured(
                new BigDecimal("1e400"),
                Float.NaN,
                Double.NEGATIVE_INFINITY,
                new double[] {Double.NaN},
                List.of(Double.NaN));

        Measured read = there(value, Measured.class);
        assertThat(read.exact()).isEqualTo(value.exact());
        assertThat(read.small()).isNaN();
        assertThat(read.boxed()).isEqualTo(Double.NEGATIVE_INFINITY);
        assertThat(read.many()).containsExactly(Double.NaN);
        assertThat(read.any()).containsExactly(Double.NaN);
    }

    @ParameterizedTest
    @ValueSource(strings = {"NaN", "Infinity", "-Infinity", "+Infinity", "INF", "-INF", "NaNs", "Inf"})
    void specialNumber_whereNoneCanBe_isRefused(String token) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> decoded(Point.class, "{\"x\":" + token + ",\"y\":2,\"name\":\"a\"}"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> decoded(Point.class, "{\"x\":1,\"y\":2,\"name\":" + token + "}"));
        assertThatIllegalArgumentException().isThrownBy(() -> decoded(Color.class, token));
        assertThatIllegalArgumentException().isThrownBy(() -> decoded(Long.class, token));
        assertThatIllegalArgumentException().isThrownBy(() -> decoded(BigDecimal.class, token));
        assertThatIllegalArgumentException().isThrownBy(() -> decoded(BigInteger.class, token));
    }

    @Test
    void longString_comesBack() {
        String text = "x".repeat(30_000_000);

        assertThat(there(text, String.class)).isEqualTo(text);
    }

    @Test
    void nullComponent_ofAReference_comesBack() {
        assertThat(there(new Point(1, 2, null), Point.class)).isEqualTo(new Point(1, 2, null));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "{",
                "[]",
                "7",
                "\"text\"",
                "{\"x\":1,\"y\":2,\"name\":\"a\"} {}",
                "{\"x\":1,\"y\":2,\"name\":\"a\"},",
                "{\"x\":1,\"y\":2}",
                "{\"y\":2,\"name\":\"a\"}",
                "{\"x\":null,\"y\":2,\"name\":\"a\"}",
                "{\"x\":1.5,\"y\":2,\"name\":\"a\"}",
                "{\"x\":\"1\",\"y\":2,\"name\":\"a\"}",
                "{\"x\":\"\",\"y\":2,\"name\":\"a\"}",
                "{\"x\":true,\"y\":2,\"name\":\"a\"}",
                "{\"x\":3000000000,\"y\":2,\"name\":\"a\"}",
                "{\"x\":1,\"y\":\"2\",\"name\":\"a\"}",
                "{\"x\":1,\"y\":2,\"name\":5}",
                "{\"x\":1,\"y\":2,\"name\":1.5}",
                "{\"x\":1,\"y\":2,\"name\":true}",
                "{\"x\":1,\"y\":2,\"name\":[\"a\"]}",
                "{\"x\":1,\"y\":2,\"name\":\"a\",\"z\":3}",
                "{x:1,\"y\":2,\"name\":\"a\"}",
                "\u0000\u0001\u0002"
            })
    void notAPoint_isRefused(String json) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> decoded(Point.class, json))
                .withMessageContaining("Point");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "PINK", "", "7"})
    void notAColor_isRefused(String json) {
        assertThatIllegalArgumentException().isThrownBy(() -> decoded(Color.class, json));
        assertThatIllegalArgumentException().isThrownBy(() -> decoded(Color.class, "\"" + json + "\""));
    }

    @Test
    void bytesThatAreNoText_areRefused() {
        JsonCodec<String> codec = new JsonCodec<>(String.class);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> codec.decode(new byte[] {'"', (byte) 0xC3, (byte) 0x28, '"'}));
        assertThatIllegalArgumentException().isThrownBy(() -> codec.decode(new byte[] {'"', (byte) 0xFF, '"'}));
    }

    @Test
    void deepNesting_isRefusedBothWays() {
        String deep = "[".repeat(100_000) + "]".repeat(100_000);
        List<Object> cyclic = new ArrayList<>();
        cyclic.add(cyclic);

        assertThatIllegalArgumentException().isThrownBy(() -> decoded(Box.class, "{\"content\":" + deep + "}"));
        assertThatIllegalArgumentException().isThrownBy(() -> decoded(Object.class, deep));
        assertThatIllegalArgumentException().isThrownBy(() -> new JsonCodec<>(Box.class).encode(new Box(cyclic)));
    }

    @Test
    void depth_thatCanBeWritten_canBeRead() {
        Object value = "leaf";
        int depth = 0;
        while (true) {
            byte[] bytes;
            try {
                bytes = new JsonCodec<>(Object.class).encode(value);
            } catch (IllegalArgumentException e) {
                break;
            }
            assertThat(new JsonCodec<>(Object.class).decode(bytes)).isEqualTo(value);
            value = List.of(value);
            depth++;
        }
        assertThat(depth).isBetween(100, 1000);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"x\":1%s,\"y\":2,\"name\":\"a\"}",
                "{\"x\":1,\"y\":1%s,\"name\":\"a\"}",
                "{\"x\":1,\"y\":0.1%s,\"name\":\"a\"}"
            })
    void hugeNumbers_areRefused(String json) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> decoded(Point.class, String.format(json, "0".repeat(100_000))));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> decoded(java.math.BigInteger.class, "1" + "0".repeat(100_000)));
        assertThatIllegalArgumentException().isThrownBy(() -> decoded(java.math.BigInteger.class, "1e1000000000"));
    }

    @Test
    void numberOfAHugeExponent_isNotTakenForAnInteger() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> decoded(Point.class, "{\"x\":1e1000000000,\"y\":2,\"name\":\"a\"}"));
        assertThatIllegalArgumentException().isThrownBy(() -> decoded(Long.class, "1e999999999"));
    }

    /** Asks for what opened so many doors elsewhere. */
    @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS)
    interface Named {}

    record Gadget(String command) implements Named {

        static int made;

        Gadget {
            made++;
        }
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.MINIMAL_CLASS, include = JsonTypeInfo.As.WRAPPER_ARRAY)
    record Minimal(int x) {}

    record Holder(@JsonTypeInfo(use = JsonTypeInfo.Id.CLASS) Object content) {}

    @Test
    void classNames_askedForByAnAnnotation_areRefusedReadingAndWriting() {
        String gadget = "{\"@class\":\"" + Gadget.class.getName() + "\",\"command\":\"x\"}";

        assertThatIllegalArgumentException().isThrownBy(() -> decoded(Named.class, gadget));
        assertThatIllegalArgumentException().isThrownBy(() -> decoded(Holder.class, "{\"content\":" + gadget + "}"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> decoded(Minimal.class, "[\"" + Minimal.class.getName() + "\",{\"x\":1}]"));
        assertThat(Gadget.made).isZero();
        assertThatIllegalArgumentException().isThrownBy(() -> new JsonCodec<>(Named.class).encode(new Gadget("x")));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new JsonCodec<>(Holder.class).encode(new Holder(new Point(1, 2, "a"))));
        assertThatIllegalArgumentException().isThrownBy(() -> new JsonCodec<>(Minimal.class).encode(new Minimal(1)));
    }

    @Test
    void classNames_inUntypedContent_areOnlyText() {
        String content = "{\"@class\":\"" + Gadget.class.getName() + "\",\"command\":\"x\"}";
        Map<String, Object> expected = new HashMap<>(Map.of("@class", Gadget.class.getName(), "command", "x"));

        assertThat(decoded(Box.class, "{\"content\":" + content + "}").content())
                .isEqualTo(expected);
        assertThat(decoded(Object.class, "[\"" + Gadget.class.getName() + "\",{\"command\":\"x\"}]"))
                .isInstanceOf(List.class);
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes({
        @JsonSubTypes.Type(value = Circle.class, name = "circle"),
        @JsonSubTypes.Type(value = Square.class, name = "square")
    })
    sealed interface Shape permits Circle, Square {}

    record Circle(double radius) implements Shape {}

    record Square(double side) implements Shape {}

    @Test
    void closedListOfNames_works_andHoldsNoOtherName() {
        assertThat(there(new Circle(2), Shape.class)).isEqualTo(new Circle(2));
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> decoded(Shape.class, "{\"@type\":\"" + Gadget.class.getName() + "\",\"command\":\"x\"}"));
    }

    @Test
    void interfaceThatNothingImplements_isNotRead() {
        assertThatIllegalArgumentException().isThrownBy(() -> decoded(Runnable.class, "{}"));
    }
}
