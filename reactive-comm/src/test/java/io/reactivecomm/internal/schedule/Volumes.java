package io.reactivecomm.internal.schedule;

import io.reactivecomm.internal.schedule.Cost.Volume;

/** The volumes that a schedule's steps move, counted one by one. */
final class Volumes {

    private Volumes() {}

    static Volume sent(Schedule schedule) {
        boolean reduces = reduces(schedule);
        Volume sum = Volume.NONE;
        for (Step step : schedule.steps()) {
            if (step instanceof Step.Send send) {
                sum = sum.plus(volume(send.count(), reduces && send.source().buffer() == Buffer.SCRATCH));
            }
        }
        return sum;
    }

    static Volume received(Schedule schedule) {
        Volume sum = Volume.NONE;
        for (Step step : schedule.steps()) {
            if (step instanceof Step.Receive receive) {
                sum = sum.plus(volume(receive.count(), false));
            } else if (step instanceof Step.Fold fold) {
                for (Step.Source source : fold.sources()) {
                    if (source instanceof Step.Source.Remote remote) {
                        sum = sum.plus(volume(fold.count(), remote.partial()));
                    }
                }
            }
        }
        return sum;
    }

    private static boolean reduces(Schedule schedule) {
        return schedule.steps().stream().anyMatch(Step.Fold.class::isInstance);
    }

    private static Volume volume(long count, boolean partial) {
        return new Volume(1, partial ? 0 : count, partial ? count : 0);
    }
}
