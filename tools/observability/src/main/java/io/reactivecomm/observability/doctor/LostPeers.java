package io.reactivecomm.observability.doctor;

import io.reactivecomm.recorder.EndedCall;
import io.reactivecomm.recorder.FailureRecord;
import io.reactivecomm.recorder.GroupRecord;
import io.reactivecomm.recorder.PeerRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A rank that others have lost because its process ended or was silent for too long. A rank that left in good order is not lost.
 *
 * @param all whether to include ranks that were lost after something else had ended the job
 */
record LostPeers(boolean all) implements Symptom {

    /** What the failure detector says of a rank whose connections live and that says nothing. */
    private static final List<String> SILENT = List.of("silent for more than", "have not heard each other");

    @Override
    public List<Finding> find(Evidence evidence) {
        Map<Integer, List<Integer>> losers = new TreeMap<>();
        for (RankHistory rank : evidence.ranks()) {
            for (PeerRecord peer : rank.dump().state().peers()) {
                if (peer.state() == PeerRecord.State.LOST) {
                    losers.computeIfAbsent(peer.rank(), ignored -> new ArrayList<>())
                            .add(rank.rank());
                }
            }
        }
        return losers.entrySet().stream()
                .filter(each -> all || isCause(each.getKey(), each.getValue(), evidence))
                .map(each -> of(each.getKey(), each.getValue(), evidence))
                .toList();
    }

    /** {@return whether the loss ended one of the ranks that lost it, while no other rank had ended the lost rank} */
    private static boolean isCause(int lost, List<Integer> by, Evidence evidence) {
        boolean isFirst = by.stream()
                .map(evidence::rank)
                .flatMap(Stream::ofNullable)
                .anyMatch(rank -> {
                    Ending ending = rank.ending();
                    return ending == null || ending.misses(lost);
                });
        return isFirst && !evidence.isFollower(lost);
    }

    private static Finding of(int lost, List<Integer> by, Evidence evidence) {
        String why = by.stream()
                .map(evidence::rank)
                .flatMap(Stream::ofNullable)
                .flatMap(rank -> texts(rank, lost))
                .findFirst()
                .orElse("");
        boolean isSilent = SILENT.stream().anyMatch(why::contains) && evidence.rank(lost) == null;
        String call = by.stream()
                .map(evidence::rank)
                .flatMap(Stream::ofNullable)
                .flatMap(rank -> calls(rank, lost))
                .findFirst()
                .orElse("");
        String text = Words.capitalRanks(by) + " lost rank " + lost + (call.isEmpty() ? "" : ", the first in " + call)
                + (why.isEmpty() ? "" : ": " + why);
        Disease disease = isSilent ? Disease.STOPPED_PROCESS : Disease.LOST_PEER;
        String more = isSilent ? "; its connections did not end, so its process is stopped, or its network is cut" : "";
        return new Finding(disease, List.of(lost), call, text + more);
    }

    /** {@return the reasons that a rank has for the loss} */
    private static Stream<String> texts(RankHistory rank, int lost) {
        Stream<@Nullable FailureRecord> groups =
                rank.dump().state().groups().stream().map(GroupRecord::failure);
        Stream<@Nullable FailureRecord> calls =
                rank.dump().state().ended().stream().map(EndedCall::failure);
        return Stream.concat(groups, calls)
                .flatMap(Stream::ofNullable)
                .filter(each -> isOf(each, lost))
                .map(FailureRecord::text);
    }

    private static Stream<String> calls(RankHistory rank, int lost) {
        return rank.dump().state().ended().stream()
                .filter(call -> Stream.ofNullable(call.failure()).anyMatch(each -> isOf(each, lost)))
                .map(call -> Words.call(call.call()));
    }

    private static boolean isOf(FailureRecord failure, int lost) {
        return failure.is(FailureRecord.PEER_LOST) && failure.culprit() == lost;
    }
}
