package io.reactivecomm;

import io.reactivecomm.internal.base.JsonFault;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * A file of settings: a JSON object whose keys are the names of RCOMM_ variables. The environment wins over it.
 *
 * <pre>
 *   {"RCOMM_TRANSPORT": "tcp", "RCOMM_LANES": 4, "RCOMM_CALL_SITES": true}
 * </pre>
 *
 * <p>Everything else is an error that names the file and the line: people write the file by hand, and would not notice a setting without effect.
 */
final class ConfigFile {

    /** The variable that names the file. A relative path is resolved against the working directory. */
    static final String VARIABLE = "RCOMM_CONFIG";

    /** Far more than all settings need; a larger file is another file. */
    static final int MOST_BYTES = 1 << 20;

    /** The longest name that an error shows. */
    private static final int MOST_LETTERS = 100;

    /** Larger than the numbers of all settings. */
    private static final double LIMIT = 0x1p63;

    private static final String EXAMPLE = "write an object such as {\"RCOMM_TRANSPORT\": \"tcp\"}";

    private static final char BYTE_ORDER_MARK = '\uFEFF';

    private ConfigFile() {}

    /**
     * {@return the environment, with the settings of the file that RCOMM_CONFIG names added where the environment has none}
     * The variable itself stays, so that later errors name the file.
     */
    static Map<String, String> settings(Map<String, String> environment) {
        String path = environment.getOrDefault(VARIABLE, "").strip();
        if (path.isEmpty()) {
            return environment;
        }
        Map<String, String> settings = new HashMap<>(read(path(path)));
        settings.putAll(environment);
        return Collections.unmodifiableMap(settings);
    }

    /** {@return the result of a reader of an environment and the file that it names} Errors name the file. */
    static <T> T with(Map<String, String> environment, Function<Map<String, String>, T> reader) {
        String file = environment.getOrDefault(VARIABLE, "").strip();
        return file.isEmpty() ? reader.apply(environment) : named(file, new HashMap<>(settings(environment)), reader);
    }

    /** {@return the same for a file that the program names} That file must not have settings of the process, which no configuration carries. */
    static <T> T with(Map<String, String> environment, Path file, Function<Map<String, String>, T> reader) {
        Map<String, String> settings = new HashMap<>(read(file));
        for (String name : settings.keySet()) {
            if (KnownVariables.isOfProcess(name)) {
                throw new RendezvousException("a setting is the process's, and no configuration carries it: file="
                        + file.toAbsolutePath() + ", name=" + name + "; name the file by " + VARIABLE
                        + " in the environment, or set the variable there");
            }
        }
        settings.putAll(settings(environment));
        return named(file.toString(), settings, reader);
    }

    private static <T> T named(String file, Map<String, String> settings, Function<Map<String, String>, T> reader) {
        settings.remove(VARIABLE);
        try {
            return reader.apply(settings);
        } catch (RendezvousException e) {
            throw new RendezvousException(
                    CommException.textOf(e) + "; settings that the environment does not have are those of file=" + file,
                    e);
        }
    }

    private static Path path(String text) {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new RendezvousException(
                    "an environment variable is no path: " + VARIABLE + "=" + text
                            + "; give the path of a file of settings",
                    e);
        }
    }

    /** {@return the settings in a file, by their names} */
    static Map<String, String> read(Path file) {
        return Json.read(file, text(file));
    }

    private static String text(Path file) {
        byte[] bytes = bytes(file);
        if (bytes.length > MOST_BYTES) {
            throw new RendezvousException("a configuration file is too long: file=" + file.toAbsolutePath() + ", most="
                    + MOST_BYTES + " bytes; name a file that has settings alone");
        }
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            return !text.isEmpty() && text.charAt(0) == BYTE_ORDER_MARK ? text.substring(1) : text;
        } catch (CharacterCodingException e) {
            throw new RendezvousException(
                    "a configuration file is not UTF-8: file=" + file.toAbsolutePath() + "; save it as UTF-8", e);
        }
    }

    private static byte[] bytes(Path file) {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw new RendezvousException("a configuration is no regular file: file=" + file.toAbsolutePath()
                    + "; name a file that can be read again");
        }
        try (InputStream in = Files.newInputStream(file)) {
            return in.readNBytes(MOST_BYTES + 1);
        } catch (IOException e) {
            throw new RendezvousException(
                    "a configuration file cannot be read: file=" + file.toAbsolutePath() + ", cause=" + e
                            + "; name a file that this process may read",
                    e);
        }
    }

    /** The parser of such a file. Jackson is loaded with this class, and so only for a program that has a file. */
    private static final class Json {

        private static final JsonFactory JSON = JsonFactory.builder().build();

        private final Path file;
        private final JsonParser parser;
        private final Map<String, String> settings = new LinkedHashMap<>();

        private Json(Path file, JsonParser parser) {
            this.file = file;
            this.parser = parser;
        }

        private static Map<String, String> read(Path file, String text) {
            try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), text)) {
                return new Json(file, parser).read();
            } catch (JacksonException e) {
                // Without Jackson's error as the cause, which may quote a token.
                throw new RendezvousException("a configuration file is not JSON: file=" + file.toAbsolutePath() + ", "
                        + JsonFault.describe(e) + "; " + EXAMPLE);
            }
        }

        private Map<String, String> read() {
            JsonToken first = parser.nextToken();
            if (first != JsonToken.START_OBJECT) {
                throw wrong(
                        first == null ? "a configuration file is empty" : "a configuration file is no object",
                        "",
                        EXAMPLE);
            }
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = parser.currentName();
                requireKnown(name);
                parser.nextToken();
                if (settings.put(name, value(name)) != null) {
                    throw wrong("a configuration file has a setting twice", ", name=" + name, "leave one out");
                }
            }
            if (parser.nextToken() != null) {
                throw wrong("a configuration file has text after its object", "", "write one object");
            }
            return settings;
        }

        private void requireKnown(String name) {
            String fact = ", name=" + (name.length() > MOST_LETTERS ? name.substring(0, MOST_LETTERS) + "…" : name);
            if (KnownVariables.isOfLauncher(name)) {
                throw wrong(
                        "a launcher's variable is no setting of a file",
                        fact,
                        "leave it to the launcher, which gives each process its own, or set it in the environment");
            }
            if (KnownVariables.isOfEnvironmentAlone(name)) {
                throw wrong("a variable is read from the environment alone", fact, "set it there");
            }
            if (!KnownVariables.NAMES.contains(name)) {
                throw wrong(
                        "a configuration file has an unknown setting",
                        fact,
                        "the nearest known name is " + KnownVariables.nearest(name));
            }
        }

        private String value(String name) {
            JsonToken token = parser.currentToken();
            if (token == JsonToken.VALUE_STRING || token == JsonToken.VALUE_NUMBER_INT) {
                return parser.getString();
            }
            if (token == JsonToken.VALUE_NUMBER_FLOAT) {
                return whole(name, parser.getDoubleValue());
            }
            if ((token == JsonToken.VALUE_TRUE || token == JsonToken.VALUE_FALSE) && KnownVariables.isSwitch(name)) {
                return parser.getString();
            }
            throw wrong(
                    "a setting has a value of another type",
                    ", name=" + name + ", value=" + (token == null ? "none" : token.asString()),
                    KnownVariables.isSwitch(name)
                            ? "write true or false"
                            : "write a text or a whole number, or leave it out");
        }

        /** Its error does not show the number, which may be a token. */
        private String whole(String name, double number) {
            if (number != Math.rint(number) || Math.abs(number) >= LIMIT) {
                throw wrong("a setting is not a whole number", ", name=" + name, "write a whole number, or a text");
            }
            return Long.toString((long) number);
        }

        private RendezvousException wrong(String what, String facts, String remedy) {
            return new RendezvousException(what + ": file=" + file.toAbsolutePath() + ", line="
                    + parser.currentTokenLocation().getLineNr() + facts + "; " + remedy);
        }
    }
}
