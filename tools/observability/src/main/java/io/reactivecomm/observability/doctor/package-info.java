/**
 * The doctor: merges the dumps of many ranks' flight recorders and says in a paragraph who is late, in which call, and where ranks diverged.
 *
 * <p>{@link io.reactivecomm.observability.doctor.Doctor} is a function of dumps. Each symptom is a class that looks for one sort of culprit; the earlier in the doctor's list,
 * the nearer to the cause, and who is blamed by one is not blamed for its consequences by another.
 */
@NullMarked
package io.reactivecomm.observability.doctor;

import org.jspecify.annotations.NullMarked;
