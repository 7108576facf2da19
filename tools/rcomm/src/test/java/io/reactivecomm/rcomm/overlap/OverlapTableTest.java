package io.reactivecomm.rcomm.overlap;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class OverlapTableTest {

    private static final OverlapRow ROW = new OverlapRow(
            "tcp", 0, 0, "int8", "overlapped", 2, 3, 4.5, 1.25, 2, 0.5, 0.75, 0.8, 0.4, 0.125, "0123456789abcdef", 0);

    @Test
    void add_inAnyLocale_printsTheSame() {
        Locale before = Locale.getDefault();
        try {
            for (Locale locale : new Locale[] {Locale.forLanguageTag("ar-EG"), Locale.GERMANY, Locale.ROOT}) {
                Locale.setDefault(locale);
                StringWriter said = new StringWriter();
                new OverlapTable(new PrintWriter(said)).add(ROW);
                assertThat(said.toString().strip().split(" +"))
                        .containsExactly(
                                "tcp",
                                "overlapped",
                                "int8",
                                "4.50",
                                "1.25",
                                "2.00",
                                "0.50",
                                "75.0%",
                                "80.0%",
                                "40.0%",
                                "12.5%",
                                "0");
            }
        } finally {
            Locale.setDefault(before);
        }
    }
}
