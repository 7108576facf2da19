package io.reactivecomm.netty.internal.life;

import static io.reactivecomm.netty.internal.life.HeartbeatSimulation.MILLI;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.netty.internal.life.HeartbeatSimulation.Rank;
import io.reactivecomm.netty.internal.life.HeartbeatSimulation.Reach;
import io.reactivecomm.netty.internal.life.HeartbeatSimulation.Weather;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FailureDetectorTest {

    private static final HeartbeatTerms TERMS = new HeartbeatTerms(100 * MILLI, 3000 * MILLI);
    private static final Weather FAIR = new Weather(0, 10);
    private static final long CUT_AT = 1000 * MILLI;
    private static final long LATEST = CUT_AT + TERMS.limitNanos() + 5 * TERMS.beatNanos();

    /** A directed graph of what does not get through, as bits by sender and receiver. */
    private record Broken(int size, BitSet from) {

        static Broken of(int size, long bits, boolean bothWays) {
            Broken broken = new Broken(size, new BitSet());
            int bit = 0;
            for (int a = 0; a < size; a++) {
                for (int b = bothWays ? a + 1 : 0; b < size; b++) {
                    if (a != b && (bits >> bit++ & 1) != 0) {
                        broken.from.set(a * size + b);
                        if (bothWays) {
                            broken.from.set(b * size + a);
                        }
                    }
                }
            }
            return broken;
        }

        boolean isBroken(int a, int b) {
            return from.get(a * size + b);
        }

        boolean areCut(int a, int b) {
            return a != b && (isBroken(a, b) || isBroken(b, a));
        }

        boolean isLost(int rank) {
            int cuts = 0;
            for (int other = 0; other < size; other++) {
                cuts += areCut(rank, other) ? 1 : 0;
            }
            return 2 * cuts > size;
        }

        /** {@return who is lost, whether or not anybody can know} */
        TreeSet<Integer> lost() {
            TreeSet<Integer> lost = new TreeSet<>();
            for (int rank = 0; rank < size; rank++) {
                if (isLost(rank)) {
                    lost.add(rank);
                }
            }
            return lost;
        }

        /** {@return whether nothing is heard in one direction only, by which a rank could know more} */
        boolean isSymmetric() {
            return from.stream().allMatch(bit -> isBroken(bit % size, bit / size));
        }

        /** {@return who is lost, as far as a rank can know from those that it hears, directly or through others} */
        TreeSet<Integer> lostFor(int rank) {
            TreeSet<Integer> lost = new TreeSet<>();
            BitSet heard = heardBy(rank);
            for (int each = 0; each < size; each++) {
                int who = each;
                if (isLost(each) && heard.stream().anyMatch(witness -> canCount(witness, who))) {
                    lost.add(each);
                }
            }
            return lost;
        }

        private BitSet heardBy(int rank) {
            BitSet heard = new BitSet();
            heard.set(rank);
            for (int before = 0; before < heard.cardinality(); ) {
                before = heard.cardinality();
                for (int each = 0; each < size; each++) {
                    int who = each;
                    if (heard.stream().anyMatch(one -> !areCut(one, who))) {
                        heard.set(each);
                    }
                }
            }
            return heard;
        }

        private boolean canCount(int witness, int lost) {
            if (!areCut(witness, lost)) {
                return true;
            }
            int cuts = 0;
            for (int each = 0; each < size; each++) {
                cuts += areCut(each, lost) && !areCut(witness, each) ? 1 : 0;
            }
            return 2 * cuts > size;
        }

        /** Requires that a rank that is not lost knows all that can be known, and is cut from all others that it does not reach. */
        void expect(Rank rank, String what) {
            TreeSet<Integer> known = lostFor(rank.number);
            assertThat(rank.lost.keySet()).as(what).containsAll(known).isSubsetOf(isSymmetric() ? known : lost());
            TreeSet<Integer> cuts = new TreeSet<>();
            for (int other = 0; other < size; other++) {
                if (areCut(rank.number, other) && !rank.lost.containsKey(other)) {
                    cuts.add(other);
                }
            }
            assertThat(rank.cutFromLivePeers()).as(what).isEqualTo(cuts);
        }

        Reach during(long from, long to) {
            return (a, b, at) -> at < from || at >= to || !isBroken(a, b);
        }
    }

    private static HeartbeatSimulation run(Broken broken, long from, long to, Weather weather, long seed) {
        return new HeartbeatSimulation(broken.size, TERMS, weather, broken.during(from, to), seed)
                .run(from + 5000 * MILLI);
    }

    private static void expectVerdicts(Broken broken, long seed) {
        HeartbeatSimulation world = run(broken, CUT_AT, Long.MAX_VALUE, FAIR, seed);
        for (Rank rank : world.ranks) {
            String what =
                    "size=" + broken.size + ", broken=" + broken.from + ", rank=" + rank.number + ", seed=" + seed;
            if (broken.isLost(rank.number)) {
                assertThat(rank.lost.keySet()).as(what).contains(rank.number).isSubsetOf(broken.lost());
                assertThat(rank.lost.get(rank.number)).as(what).isLessThan(LATEST);
            } else {
                broken.expect(rank, what);
                assertThat(rank.cut.keySet()).as(what).isEqualTo(rank.cutFromLivePeers());
                assertThat(rank.lost.values()).as(what).allMatch(at -> at < LATEST);
                assertThat(rank.cut.values()).as(what).allMatch(at -> at < LATEST);
                sameWords(world, rank, what);
            }
        }
    }

    private static void sameWords(HeartbeatSimulation world, Rank rank, String what) {
        rank.cuts.forEach((peer, cut) -> {
            Detection.Cut theirs = world.ranks.get(peer).cuts.get(rank.number);
            assertThat(theirs == null ? cut.cause(TERMS) : theirs.cause(TERMS))
                    .as(what)
                    .isEqualTo(cut.cause(TERMS));
        });
    }

    @Test
    @Tag("thorough")
    void cuts_ofAllPatternsAmongFive_areJudgedAlikeInTime() {
        cuts_ofAllPatterns_areJudgedAlikeInTime(5);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void cuts_ofAllPatterns_areJudgedAlikeInTime(int size) {
        for (long bits = 0; bits < 1L << size * (size - 1) / 2; bits++) {
            expectVerdicts(Broken.of(size, bits, true), bits);
        }
    }

    @Test
    @Tag("thorough")
    void cuts_ofSingleDirectionsAmongFour_areJudgedAlikeInTime() {
        cuts_ofSingleDirections_areJudgedAlikeInTime(4);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void cuts_ofSingleDirections_areJudgedAlikeInTime(int size) {
        for (long bits = 0; bits < 1L << size * (size - 1); bits++) {
            expectVerdicts(Broken.of(size, bits, false), bits);
        }
    }

    @Test
    void cuts_inLargerWorlds_areJudgedAlikeInTime() {
        for (int seed = 0; seed < 150; seed++) {
            Random dice = new Random(seed);
            int size = 6 + dice.nextInt(11);
            Broken broken = new Broken(size, new BitSet());
            int percent = dice.nextInt(30);
            boolean halves = dice.nextBoolean();
            int border = dice.nextInt(size);
            for (int a = 0; a < size; a++) {
                for (int b = 0; b < a; b++) {
                    if (halves ? a >= border && b < border : dice.nextInt(100) < percent) {
                        broken.from.set(a * size + b);
                        broken.from.set(b * size + a);
                    }
                }
            }
            expectVerdicts(broken, seed);
        }
    }

    @Test
    void outage_shorterThanTheLimit_isSurvivedByAll() {
        for (int seed = 0; seed < 400; seed++) {
            Random dice = new Random(seed);
            int size = 2 + dice.nextInt(6);
            Broken broken = Broken.of(size, dice.nextLong(), dice.nextBoolean());
            long millis = dice.nextBoolean() ? 2999 : dice.nextInt(3000);
            HeartbeatSimulation world =
                    run(broken, CUT_AT, CUT_AT + millis * MILLI, new Weather(0, 1 + dice.nextInt(40)), seed);
            assertThat(world.ranks)
                    .as("seed=" + seed + ", millis=" + millis + ", broken=" + broken)
                    .allSatisfy(rank -> assertThat(rank.lost.keySet().size() + rank.cut.size())
                            .isZero());
        }
    }

    @Test
    void lossOfATenth_makesNoLossOfAnybody_andAShortOutageWithIt_neither() {
        for (int seed = 0; seed < 100; seed++) {
            Random dice = new Random(seed);
            int size = 2 + dice.nextInt(6);
            Broken broken = Broken.of(size, dice.nextLong(), true);
            HeartbeatSimulation world = run(broken, CUT_AT, CUT_AT + 2500 * MILLI, new Weather(10, 50), seed);
            assertThat(world.ranks)
                    .as("seed=" + seed)
                    .allSatisfy(rank -> assertThat(rank.lost.keySet().size() + rank.cut.size())
                            .isZero());
        }
    }

    private static long sparse(Random dice) {
        long one = dice.nextLong();
        return one & dice.nextLong();
    }

    /** A beat with the last vote may be lost: then a cut may be told before the loss; but in the end all that hear each other agree. */
    @Test
    void lossAndDelay_changeNoVerdict() {
        for (int seed = 0; seed < 300; seed++) {
            Random dice = new Random(seed);
            int size = 2 + dice.nextInt(7);
            Broken broken = Broken.of(size, sparse(dice), dice.nextBoolean());
            HeartbeatSimulation world = run(broken, CUT_AT, Long.MAX_VALUE, new Weather(10, 60), seed);
            for (Rank rank : world.ranks) {
                String what = "seed=" + seed + ", size=" + size + ", broken=" + broken.from + ", rank=" + rank.number;
                if (!broken.isLost(rank.number)) {
                    broken.expect(rank, what);
                }
            }
        }
    }

    @Test
    void departedRanks_makeNoMajoritySmaller() {
        FailureDetector detector = new FailureDetector(0, 5, TERMS);
        for (int peer = 1; peer < 5; peer++) {
            detector.watch(peer, 0);
        }
        detector.left(3);
        detector.gone(4);
        long at = TERMS.unheardNanos();
        detector.heard(2, at);
        BitSet one = BitSet.valueOf(new long[] {2});
        detector.told(2, one, one, new BitSet());
        assertThat(detector.look(at)).containsExactly(new Detection.Cut(0, 1, List.of(3), List.of(4), 5));
    }

    private static BitSet ranks(int... ranks) {
        BitSet set = new BitSet();
        for (int rank : ranks) {
            set.set(rank);
        }
        return set;
    }

    private static FailureDetector ofFive() {
        FailureDetector detector = new FailureDetector(0, 5, TERMS);
        for (int peer = 1; peer < 5; peer++) {
            detector.watch(peer, 0);
        }
        return detector;
    }

    /** Nothing comes from it any more that could take back what it said. */
    @Test
    void peerThatIsToldOfACut_itsOwnCutsCountNoMore() {
        FailureDetector detector = ofFive();
        long now = 100 * MILLI;
        detector.told(1, new BitSet(), ranks(0, 4), new BitSet());
        assertThat(detector.look(now)).containsExactly(new Detection.Cut(0, 1, List.of(), List.of(), 5));
        expectTwoVotesAgainstFour(detector, now + 100 * MILLI);
    }

    @Test
    void peerThatTellsOfACut_itsOwnCutsCountNoMore() {
        FailureDetector detector = ofFive();
        detector.told(1, new BitSet(), ranks(4), new BitSet());
        detector.separated(1);
        expectTwoVotesAgainstFour(detector, 100 * MILLI);
    }

    private static void expectTwoVotesAgainstFour(FailureDetector detector, long now) {
        detector.told(2, new BitSet(), ranks(4), new BitSet());
        detector.told(3, new BitSet(), ranks(4), new BitSet());
        assertThat(detector.look(now)).isEmpty();
        assertThat(detector.lost().isEmpty()).isTrue();
        detector.told(4, new BitSet(), ranks(1, 2, 3), new BitSet());
        assertThat(detector.look(now)).containsExactly(new Detection.Lost(4, List.of(1, 2, 3), 0, 5));
    }

    @Test
    void aCutAmongTheRest_tellsWhoHadLeft_andWhoWasLost() {
        Detection.Cut bare = new Detection.Cut(1, 0, List.of(), List.of(), 3);
        assertThat(bare.cause(TERMS))
                .startsWith("rank 0 and rank 1 have not")
                .contains("and no majority of ranks can tell which side");
        Detection.Cut rest = new Detection.Cut(0, 1, List.of(3, 5), List.of(4), 6);
        assertThat(rest.cause(TERMS))
                .contains(
                        "no majority of the world's 6 ranks (left in good order=[3, 5], lost=[4]) can tell which side");
        assertThat(new Detection.Cut(0, 1, List.of(), List.of(4), 6).cause(TERMS))
                .contains("6 ranks (lost=[4]) can tell");
    }

    @Test
    void standstillOfThisProcess_isNobodysSilence() {
        FailureDetector detector = new FailureDetector(0, 2, TERMS);
        detector.watch(1, 0);
        detector.forgive(10_000 * MILLI, 10_000 * MILLI);
        assertThat(detector.look(10_000 * MILLI)).isEmpty();
    }
}
