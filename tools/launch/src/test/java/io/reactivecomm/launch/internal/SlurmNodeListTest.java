package io.reactivecomm.launch.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.RendezvousException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SlurmNodeListTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "node1 | node1",
                "a,b,c | a b c",
                "node[01-03,7],gpu5 | node01 node02 node03 node7 gpu5",
                "node[8-11] | node8 node9 node10 node11",
                "node[098-101] | node098 node099 node100 node101",
                "r[1-2]n[1-2] | r1n1 r1n2 r2n1 r2n2",
                "rack[0-1]-ib,x | rack0-ib rack1-ib x",
                "[1-2] | 1 2",
                "node[5] | node5"
            })
    void parse_list_givesTheNamesInOrder(String list, String names) {
        assertThat(SlurmNodeList.parse(list)).containsExactly(names.split(" "));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ",",
                "a,",
                ",a",
                "node[",
                "node[]",
                "node[1",
                "node[1-",
                "node[-2]",
                "node[a]",
                "node[3-1]",
                "node]",
                "node[1,]",
                "node[[1]]",
                "node[9999999999]",
                "node[1-70000]",
                "a[1-999]b[1-999]",
                "node[1-2]]"
            })
    void parse_brokenList_saysWhatAndWhere(String list) {
        assertThatThrownBy(() -> SlurmNodeList.parse(list))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContainingAll("list=" + list, "at=", "set MASTER_ADDR");
    }

    @Test
    void parse_asManyAsThereMayBe_givesAll() {
        assertThat(SlurmNodeList.parse("n[1-65536]")).hasSize(65_536).endsWith("n65536");
    }
}
