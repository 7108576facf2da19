package io.reactivecomm.netty;

import io.reactivecomm.Meeting;
import io.reactivecomm.testkit.MeetingContract;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;

/** The contract of a meeting that does not block. */
@Timeout(60)
class MemoryMeetingTest extends MeetingContract {

    @Override
    protected List<Meeting> meetings(int size) {
        MemoryMeeting gather = new MemoryMeeting(size);
        return IntStream.range(0, size).mapToObj(gather::of).toList();
    }
}
