package io.reactivecomm.deepspeed;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.internal.base.JsonFault;
import io.reactivecomm.internal.base.Spelling;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A block of a DeepSpeed configuration: a JSON object whose keys are read one by one. Keys that remain unread are listed.
 *
 * <p><b>Threads.</b> One at a time.
 */
final class Block {

    private static final String AUTO = "auto";

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            // DeepSpeed reads Hjson, of which these are in use.
            .enable(
                    JsonReadFeature.ALLOW_JAVA_COMMENTS,
                    JsonReadFeature.ALLOW_YAML_COMMENTS,
                    JsonReadFeature.ALLOW_TRAILING_COMMA)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private static final JsonNode EMPTY = MAPPER.createObjectNode();

    private final String path;
    private final JsonNode node;
    private final Map<String, String> ignored;
    private final Set<String> read = new HashSet<>();

    private Block(String path, JsonNode node, Map<String, String> ignored) {
        this.path = path;
        this.node = node;
        this.ignored = ignored;
    }

    /** {@return the outermost block of a configuration} */
    static Block of(String json, Map<String, String> ignored) {
        JsonNode node;
        try {
            node = MAPPER.readTree(json);
        } catch (JacksonException e) {
            throw new InvalidCallException(
                    "a DeepSpeed configuration is not JSON: " + JsonFault.describe(e) + "; give one object");
        }
        if (!node.isObject()) {
            String value = node.isMissingNode() ? "nothing" : shortened(node);
            throw new InvalidCallException(
                    "a DeepSpeed configuration is no object: value=" + value + "; give one object");
        }
        return new Block("", node, ignored);
    }

    boolean has(String key) {
        return node.has(key);
    }

    /** {@return the block of a key, which is empty if the key is missing} */
    Block block(String key) {
        JsonNode value = value(key);
        if (value != null && !value.isObject()) {
            throw wrong(key, "write an object");
        }
        return new Block(path + key + ".", value == null ? EMPTY : value, ignored);
    }

    boolean isBoolean(String key) {
        return node.path(key).isBoolean();
    }

    boolean isNull(String key) {
        return node.path(key).isNull();
    }

    boolean flag(String key, boolean fallback) {
        JsonNode value = value(key);
        if (value != null && !value.isBoolean()) {
            throw wrong(key, "write true or false");
        }
        return value == null ? fallback : value.booleanValue();
    }

    double number(String key, double fallback) {
        JsonNode value = value(key);
        return value == null ? fallback : number(key, value);
    }

    private double number(String key, JsonNode value) {
        double number = value.isNumber() ? value.asDouble(Double.NaN) : Double.NaN;
        if (!Double.isFinite(number)) {
            throw wrong(key, "write a number");
        }
        return number;
    }

    /** {@return a whole number from 0, such as 500000000 or 5e8; larger numbers become the largest long} */
    long count(String key, long fallback) {
        JsonNode value = value(key);
        if (value == null) {
            return fallback;
        }
        double number = number(key, value);
        if (number != Math.rint(number) || number < 0) {
            throw wrong(key, "write a whole number from 0");
        }
        return (long) number;
    }

    /** {@return as many numbers as the fallback has} */
    double[] numbers(String key, double... fallback) {
        JsonNode value = value(key);
        if (value == null) {
            return fallback;
        }
        if (!value.isArray() || value.size() != fallback.length) {
            throw wrong(key, "write " + fallback.length + " numbers in brackets");
        }
        double[] numbers = new double[fallback.length];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = number(key, value.get(i));
        }
        return numbers;
    }

    @Nullable String text(String key) {
        JsonNode value = value(key);
        if (value != null && !value.isString()) {
            throw wrong(key, "write a text");
        }
        return value == null ? null : value.stringValue();
    }

    private @Nullable JsonNode value(String key) {
        read.add(key);
        JsonNode value = node.get(key);
        if (value != null && value.isString() && value.stringValue().equals(AUTO)) {
            ignore(key, "\"auto\" is what Hugging Face's Trainer replaces; here it counts as no value");
            return null;
        }
        return value;
    }

    /** Marks all keys as read, and lists those without a value. */
    void passAll() {
        node.propertyNames().forEach(this::value);
    }

    /** Marks a key as read. */
    void pass(String key) {
        read.add(key);
    }

    void ignore(String key, String reason) {
        read.add(key);
        ignored.put(path + key, reason);
    }

    /** Lists the keys that have not been read. @param otherwise the reason for keys without one of their own */
    void ignoreRest(Map<String, String> reasons, String otherwise) {
        List<String> known = new ArrayList<>(read);
        for (String key : node.propertyNames()) {
            if (!known.contains(key)) {
                ignore(key, reasons.getOrDefault(key, unknown(key, known, otherwise)));
            }
        }
    }

    /** Two letters make a misspelt name of a long one, and another name of a short one. */
    private static String unknown(String key, List<String> known, String otherwise) {
        String nearest = known.isEmpty() ? "" : Spelling.nearest(key, known);
        return Spelling.distance(key, nearest) <= Math.min(2, key.length() / 4)
                ? "is not read; the nearest key that is read is " + nearest
                : otherwise;
    }

    InvalidCallException wrong(String key, String remedy) {
        return new InvalidCallException("a value of a DeepSpeed configuration cannot be read: key=" + path + key
                + ", value=" + shortened(node.path(key)) + "; " + remedy);
    }

    private static String shortened(JsonNode value) {
        String text = value.toString();
        return text.length() > 100 ? text.substring(0, 100) + "…" : text;
    }
}
