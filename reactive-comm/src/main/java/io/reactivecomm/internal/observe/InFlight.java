package io.reactivecomm.internal.observe;

import io.reactivecomm.recorder.WaitingCall;
import java.util.List;

/**
 * The calls that are under way on a rank at one moment, whether or not anybody observed their beginning.
 *
 * @param count how many there are
 * @param oldest some of them, the oldest first; those of other engines behind them
 * @param lost world ranks that this rank has lost
 * @param failure why the world's group has failed, or empty
 */
public record InFlight(int count, List<WaitingCall> oldest, List<Integer> lost, String failure) {}
