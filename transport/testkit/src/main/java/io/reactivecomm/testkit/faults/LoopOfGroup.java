package io.reactivecomm.testkit.faults;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.spi.Loop;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Queue;
import java.util.Set;

/**
 * The loop that serves a group. No program can reach it, which is as it should be; so it is looked for among the objects that the group
 * holds.
 */
final class LoopOfGroup {

    private static final String OURS = "io.reactivecomm";

    private LoopOfGroup() {}

    static Loop find(ProcessGroup group) {
        Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        Queue<Object> open = new ArrayDeque<>();
        open.add(group);
        while (!open.isEmpty()) {
            Object next = open.remove();
            if (next instanceof Loop loop) {
                return loop;
            }
            if (next.getClass().getName().startsWith(OURS) && seen.add(next)) {
                addFields(next, open);
            }
        }
        throw new IllegalStateException("a group without a loop: group=" + group);
    }

    private static void addFields(Object object, Queue<Object> open) {
        for (Class<?> type = object.getClass(); type.getName().startsWith(OURS); type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers()) && !field.getType().isPrimitive()) {
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
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("cannot read: field=" + field, e);
        }
    }
}
