package io.reactivecomm.testkit;

import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The objects that an object holds, and those that they hold: a way to what no program can reach, which is as it should be.
 *
 * @param leads whether to follow a field, which is neither static nor primitive
 */
public record ObjectGraph(Predicate<Field> leads) {

    /** {@return the nearest object that is wanted, the first included} */
    public Optional<Object> nearest(Object first, Predicate<Object> wanted) {
        Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        Queue<Object> open = new ArrayDeque<>();
        open.add(first);
        while (!open.isEmpty()) {
            Object next = open.remove();
            if (wanted.test(next)) {
                return Optional.of(next);
            }
            if (seen.add(next)) {
                addFields(next, open);
            }
        }
        return Optional.empty();
    }

    private void addFields(Object object, Queue<Object> open) {
        for (Class<?> type = object.getClass(); type != null; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers()) && !field.getType().isPrimitive() && leads.test(field)) {
                    add(object, field, open);
                }
            }
        }
    }

    private static void add(Object object, Field field, Queue<Object> open) {
        try {
            field.setAccessible(true);
            Object value = field.get(object);
            if (value != null) {
                open.add(value);
            }
        } catch (IllegalAccessException | InaccessibleObjectException e) {
            throw new IllegalStateException(
                    "cannot read: field=" + field + "; start the JVM with --add-opens for its package", e);
        }
    }
}
