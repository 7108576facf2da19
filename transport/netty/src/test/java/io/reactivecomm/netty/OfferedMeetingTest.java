package io.reactivecomm.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.CommConfig;
import io.reactivecomm.Meeting;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.WorldProvider;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Mono;

/** Worlds from the environment whose ranks meet by what an engine's library offers. */
@Timeout(60)
class OfferedMeetingTest {

    private final MemoryMeeting gather = new MemoryMeeting(2);
    private final AtomicInteger asked = new AtomicInteger();
    private final List<ProcessGroup> groups = new ArrayList<>();

    @AfterEach
    void end() {
        groups.forEach(ProcessGroup::close);
        OfferedMeetingProvider.OFFERS.clear();
    }

    private static WorldProvider worlds() {
        return ServiceLoader.load(WorldProvider.class).findFirst().orElseThrow();
    }

    private void offer(int rank, Mono<Meeting> offer) {
        OfferedMeetingProvider.OFFERS.put("rank " + rank, offer.doOnSubscribe(ignored -> asked.incrementAndGet()));
    }

    private void offerAll() {
        offer(0, Mono.just(gather.of(0)));
        offer(1, Mono.just(gather.of(1)));
    }

    /** Open MPI's variables for two hosts are there, without an address. */
    private static Map<String, String> environment(int rank, String... more) {
        Map<String, String> environment = new HashMap<>(Map.of(
                OfferedMeetingProvider.VARIABLE,
                "rank " + rank,
                "OMPI_COMM_WORLD_RANK",
                Integer.toString(rank),
                "OMPI_COMM_WORLD_SIZE",
                "2",
                "OMPI_COMM_WORLD_LOCAL_SIZE",
                "1",
                "RCOMM_BACKEND",
                "instant",
                "RCOMM_RENDEZVOUS_TIMEOUT_SECONDS",
                "20"));
        for (int i = 0; i < more.length; i += 2) {
            environment.put(more[i], more[i + 1]);
        }
        return environment;
    }

    private static CompletableFuture<ProcessGroup> connect(
            Map<String, String> environment, UnaryOperator<CommConfig> change) {
        return Mono.defer(() -> worlds().connect(environment, change)).toFuture();
    }

    private static CompletableFuture<ProcessGroup> connect(Map<String, String> environment) {
        return connect(environment, config -> config);
    }

    private static void expectError(CompletableFuture<ProcessGroup> attempt, String... parts) {
        assertThatThrownBy(() -> attempt.get(20, TimeUnit.SECONDS).close())
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOf(RendezvousException.class)
                .hasMessageContainingAll(parts);
    }

    @Test
    void ranksThatKnowNoAddress_meet() throws Exception {
        offerAll();
        List<CompletableFuture<ProcessGroup>> attempts = List.of(connect(environment(0)), connect(environment(1)));
        for (CompletableFuture<ProcessGroup> each : attempts) {
            groups.add(each.get(20, TimeUnit.SECONDS));
        }
        assertThat(groups).extracting(ProcessGroup::rank).containsExactly(0, 1);
        assertThat(asked).hasValue(2);
    }

    @ParameterizedTest
    @CsvSource({"MASTER_ADDR, 127.0.0.1", "RCOMM_STORE_HOSTED, 1", "RCOMM_BACKEND, cpu:links"})
    void whoNamesAStore_orNoSuchEngine_isOfferedNothing(String variable, String value) {
        offerAll();

        expectError(connect(environment(0, variable, value)), "variable=RANK");
        assertThat(asked).hasValue(0);
    }

    @ParameterizedTest
    @CsvSource({"RCOMM_LANES, many", "RCOMM_OFF, everything", "RCOMM_RENDEZVOUS_TIMEOUT_SECONDS, long"})
    void settingThatOneCannotRead_isToldOnAll(String variable, String value) {
        offerAll();
        List<CompletableFuture<ProcessGroup>> attempts =
                List.of(connect(environment(0)), connect(environment(1, variable, value)));

        expectError(attempts.get(0), "a rank does not join: rank=1", variable + "=" + value);
        expectError(attempts.get(1), variable + "=" + value);
    }

    @Test
    void changeOfAProgramThatFails_isToldOnAll() {
        offerAll();
        List<CompletableFuture<ProcessGroup>> attempts =
                List.of(connect(environment(0), config -> config.withLanes(-1)), connect(environment(1)));

        expectError(attempts.get(0), "RCOMM_LANES=-1");
        expectError(attempts.get(1), "a rank does not join: rank=0", "RCOMM_LANES=-1");
    }

    @Test
    void anotherPlaceInTheEnvironment_isToldOnAll() {
        offerAll();
        List<CompletableFuture<ProcessGroup>> attempts =
                List.of(connect(environment(0)), connect(environment(1, "RANK", "0", "WORLD_SIZE", "2")));

        expectError(attempts.get(0), "of another place", "the all-gather's rank=1");
        expectError(attempts.get(1), "of another place", "the all-gather's rank=1");
    }

    @Test
    void listenerInTheEnvironment_isRankZeros() {
        offerAll();
        List<CompletableFuture<ProcessGroup>> attempts =
                List.of(connect(environment(0, "RCOMM_LISTEN", "192.0.2.77")), connect(environment(1)));

        expectError(attempts.get(0), "RCOMM_LISTEN=192.0.2.77");
        expectError(attempts.get(1), "RCOMM_LISTEN=192.0.2.77");
    }

    @Test
    void libraryThatFails_orGivesNothing_isAnError() {
        offer(0, Mono.error(new IllegalStateException("no libmpi.so")));
        expectError(connect(environment(0)), "engine=instant", "no libmpi.so");
        offer(0, Mono.empty());
        expectError(connect(environment(0)), "engine=instant", "gave none");
        offer(0, Mono.never());
        expectError(
                connect(environment(0, "RCOMM_RENDEZVOUS_TIMEOUT_SECONDS", "1")),
                "engine=instant",
                "not there within 1000 ms");
    }
}
