package io.reactivecomm.timing;

import io.reactivecomm.InvalidCallException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The {@code comms_logger} block of a DeepSpeed configuration, read strictly: there, a key that nobody knows has no effect and no message. */
final class DeepSpeedBlock {

    private static final String BLOCK = "comms_logger";

    private static final List<String> KEYS = List.of("enabled", "verbose", "prof_all", "debug", "prof_ops");

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

    private final JsonNode block;

    private DeepSpeedBlock(JsonNode block) {
        this.block = block;
    }

    static CommsLoggerOptions parse(String json) {
        JsonNode whole = read(json);
        requireObject("the whole", whole);
        JsonNode given = whole.path(BLOCK);
        JsonNode block = given.isMissingNode() || isAuto(given) ? EMPTY : given;
        requireObject(BLOCK, block);
        return new DeepSpeedBlock(block).options();
    }

    private static JsonNode read(String json) {
        try {
            return MAPPER.readTree(json);
        } catch (JacksonException e) {
            throw new InvalidCallException(
                    "a DeepSpeed configuration is not JSON: cause=" + e.getOriginalMessage() + "; give one object", e);
        }
    }

    private static void requireObject(String what, JsonNode node) {
        if (!node.isObject()) {
            throw wrong(what, node, "an object");
        }
    }

    /** Hugging Face's Trainer replaces this word; where it has not, it counts as no value. */
    private static boolean isAuto(JsonNode value) {
        return value.isString() && value.stringValue().equals("auto");
    }

    private CommsLoggerOptions options() {
        for (String key : block.propertyNames()) {
            if (!KEYS.contains(key)) {
                throw new InvalidCallException("unknown key of a DeepSpeed configuration: key=" + BLOCK + "." + key
                        + "; write some of " + String.join(", ", KEYS));
            }
        }
        return new CommsLoggerOptions(
                flag("enabled", false),
                flag("verbose", false),
                flag("debug", false),
                flag("prof_all", true),
                Set.copyOf(operations()),
                List.of());
    }

    private boolean flag(String key, boolean fallback) {
        JsonNode value = block.get(key);
        if (value == null || isAuto(value)) {
            return fallback;
        }
        if (!value.isBoolean()) {
            throw wrong(BLOCK + "." + key, value, "true or false");
        }
        return value.booleanValue();
    }

    private List<String> operations() {
        List<String> operations = new ArrayList<>();
        JsonNode value = block.get("prof_ops");
        if (value == null || isAuto(value)) {
            return operations;
        }
        if (!value.isArray()) {
            throw wrong(BLOCK + ".prof_ops", value, "a list of names");
        }
        for (JsonNode each : value.values()) {
            if (!each.isString()) {
                throw wrong(BLOCK + ".prof_ops", each, "names in it");
            }
            String word = each.stringValue();
            operations.add(OperationWords.isOperation(word) ? word : OperationWords.NAMED + word);
        }
        return operations;
    }

    private static InvalidCallException wrong(String key, JsonNode value, String right) {
        return new InvalidCallException("a value of a DeepSpeed configuration is of another type: key=" + key
                + ", value=" + value + "; write " + right);
    }
}
