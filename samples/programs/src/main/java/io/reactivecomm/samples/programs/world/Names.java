package io.reactivecomm.samples.programs.world;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The names of a closed choice as users write them: {@code all-reduce} for {@code ALL_REDUCE}. */
public final class Names {

    private Names() {}

    /** {@return the name as the user writes it} */
    public static String of(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * {@return a converter from such names, which lists them all for one that it does not know}
     *
     * @param what what is chosen, in one word
     */
    public static <E extends Enum<E>> ITypeConverter<E> converter(Class<E> choice, String what) {
        return text -> {
            String name = text.toLowerCase(Locale.ROOT).replace('_', '-');
            return Arrays.stream(choice.getEnumConstants())
                    .filter(value -> of(value).equals(name))
                    .findFirst()
                    .orElseThrow(() -> new TypeConversionException(
                            "unknown " + what + ": " + what + "=" + text + "; choose one of " + all(choice)));
        };
    }

    private static String all(Class<? extends Enum<?>> choice) {
        return Arrays.stream(choice.getEnumConstants()).map(Names::of).collect(Collectors.joining(", "));
    }
}
