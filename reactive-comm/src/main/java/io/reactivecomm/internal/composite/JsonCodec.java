package io.reactivecomm.internal.composite;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.reactivecomm.ObjectCodec;
import io.reactivecomm.internal.base.ErrorTexts;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamWriteConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonReadFeature;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.DatabindContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.JacksonAnnotationIntrospector;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.PolymorphicTypeValidator;
import tools.jackson.databind.type.LogicalType;

/**
 * Objects of one type as JSON, read strictly: records, lists, maps, and all else that Jackson maps.
 *
 * <p><b>Numbers.</b> NaN and the infinities are written as {@code NaN}, {@code Infinity} and {@code -Infinity}, which are no JSON of the standard: so they
 * come back as numbers where a type does not say that they are, such as in a {@code Map} or an {@code Object}.
 *
 * <p><b>Trust.</b> What is read decides nothing but values. No class is ever named by the bytes. Default typing is off, and a type whose
 * annotations ask for class names ({@code @JsonTypeInfo} with CLASS or MINIMAL_CLASS) is refused, writing and reading. A closed list of
 * names ({@code @JsonSubTypes}) is the program's own and works. Depth and the length of numbers are bounded. The size of the whole is the
 * caller's to bound, and so is the length of strings and of a map's keys with it.
 *
 * <p><b>Errors.</b> {@link IllegalArgumentException} for bytes that are not exactly one JSON value of the type. They may be cut off,
 * followed by more, of another type (nothing is converted: no text to numbers, no fractions to integers). They may be without a component
 * of a record or with one that it does not have, with null for a primitive, or null altogether.
 *
 * <p><b>Threads.</b> Any.
 */
public final class JsonCodec<T> implements ObjectCodec<T> {

    /** Deeper than data is; far from what overflows a stack. */
    private static final int MOST_DEPTH = 200;

    /** Digits of a number: conversion to binary takes time by their square. */
    private static final int MOST_DIGITS = 1000;

    /** Shared, because it remembers how each class is read and written. */
    private static final JsonMapper MAPPER = mapper();

    private static final Logger LOG = LoggerFactory.getLogger(JsonCodec.class);

    private final Class<T> type;

    public JsonCodec(Class<T> type) {
        this.type = type;
        prepare();
    }

    /**
     * Has Jackson learn the type on the caller's thread: it does so under a lock, for which a loop would have to wait if another one learns it at
     * that moment. What it cannot learn fails the calls that need it.
     */
    private void prepare() {
        try {
            MAPPER.writerFor(type);
            MAPPER.readerFor(type);
        } catch (RuntimeException | LinkageError | StackOverflowError e) {
            LOG.debug("objects cannot be written or read: type={}", type.getName(), ErrorTexts.printable(e));
        }
    }

    private static JsonFactory bounded() {
        return JsonFactory.builder()
                // As tokens of their own: as text, those in a map of values of any type came back as text.
                .disable(JsonWriteFeature.WRITE_NAN_AS_STRINGS)
                .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxNestingDepth(MOST_DEPTH)
                        .maxNumberLength(MOST_DIGITS)
                        .maxStringLength(Integer.MAX_VALUE)
                        .maxNameLength(Integer.MAX_VALUE)
                        .build())
                .streamWriteConstraints(StreamWriteConstraints.builder()
                        .maxNestingDepth(MOST_DEPTH)
                        .build())
                .build();
    }

    private static JsonMapper mapper() {
        return JsonMapper.builder(bounded())
                .polymorphicTypeValidator(new NoClassNames())
                .annotationIntrospector(new NoClassNameAnnotations())
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
                .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .enable(MapperFeature.INFER_RECORD_GETTERS_FROM_COMPONENTS_ONLY)
                .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
                .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
                .enable(EnumFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
                .withCoercionConfigDefaults(
                        coercion -> coercion.setCoercion(CoercionInputShape.EmptyString, CoercionAction.Fail))
                .withCoercionConfig(
                        LogicalType.Textual,
                        coercion -> coercion.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
                                .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
                                .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail))
                .build();
    }

    @Override
    public byte[] encode(T value) {
        try {
            return MAPPER.writerFor(type).writeValueAsBytes(value);
        } catch (JacksonException e) {
            throw refused("write", "to", e);
        }
    }

    @Override
    public T decode(byte[] bytes) {
        T value;
        try {
            value = MAPPER.readerFor(type).readValue(bytes);
        } catch (JacksonException e) {
            throw refused("read", "from", e);
        }
        if (value == null) {
            throw new IllegalArgumentException(
                    "cannot read " + type.getSimpleName() + " from JSON: value=null; send an object");
        }
        return value;
    }

    private IllegalArgumentException refused(String verb, String preposition, JacksonException e) {
        return new IllegalArgumentException(
                "cannot " + verb + " " + type.getSimpleName() + " " + preposition + " JSON: at=" + e.getPathReference()
                        + ", cause=" + e.getOriginalMessage(),
                e);
    }

    /** Lets no class be named by what is read. */
    private static final class NoClassNames extends PolymorphicTypeValidator {

        private static final long serialVersionUID = 1L;

        @Override
        public Validity validateBaseType(DatabindContext context, JavaType baseType) {
            return Validity.DENIED;
        }

        @Override
        public Validity validateSubClassName(DatabindContext context, JavaType baseType, String subClassName) {
            return Validity.DENIED;
        }

        @Override
        public Validity validateSubType(DatabindContext context, JavaType baseType, JavaType subType) {
            return Validity.DENIED;
        }
    }

    /** Refuses types that ask for class names, so that they are not written either. */
    private static final class NoClassNameAnnotations extends JacksonAnnotationIntrospector {

        private static final long serialVersionUID = 1L;

        @Override
        public JsonTypeInfo.@Nullable Value findPolymorphicTypeInfo(MapperConfig<?> config, Annotated annotated) {
            JsonTypeInfo.Value info = super.findPolymorphicTypeInfo(config, annotated);
            if (info != null
                    && (info.getIdType() == JsonTypeInfo.Id.CLASS
                            || info.getIdType() == JsonTypeInfo.Id.MINIMAL_CLASS)) {
                throw new IllegalArgumentException("an annotation asks for class names in JSON: annotated="
                        + annotated.getName() + ", use=" + info.getIdType()
                        + "; list the subtypes by name, with @JsonSubTypes or a sealed interface");
            }
            return info;
        }
    }
}
