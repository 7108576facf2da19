package io.reactivecomm.rcomm.overlap;

import io.reactivecomm.samples.programs.output.ChartFile;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A PNG timeline of two steps of each run, all to the same scale: for each rank a lane for compute and some for communication. Its size is
 * bounded: of many ranks the first are drawn, and many buckets share lanes.
 *
 * <pre>
 *   tcp, buckets overlapped
 *     rank 0 compute         │ forward │ backward        │exposed│ optimizer │ …
 *            communication             ├─ bucket 0 ─┤
 *                                            ├─ bucket 1 ─┤
 * </pre>
 */
final class TimelineChart {

    private static final int STEPS = 2;
    private static final int MOST_RANKS = 8;
    /** A bucket is drawn in the lane of its number modulo this: buckets that far apart are rarely in flight together. */
    private static final int MOST_LANES = 16;

    private static final int WIDTH = 1400;
    private static final int MARGIN = 20;
    private static final int LABELS = 150;
    private static final int TITLE = 30;
    private static final int COMPUTE = 22;
    private static final int BUCKET = 7;
    private static final int GAP = 8;
    private static final int LEGEND = 40;

    private static final Color EXPOSED = new Color(0xF2, 0xB8, 0xB0);
    private static final Color BUCKET_COLOR = new Color(0xB4, 0x3A, 0x2F);
    private static final Map<String, Color> COMPUTE_COLORS = Map.of(
            "forward", new Color(0x9A, 0xB8, 0xD6),
            "backward", new Color(0x1F, 0x5A, 0x96),
            "optimizer", new Color(0x5C, 0x9E, 0x6B));

    private final List<Panel> panels;
    private final BufferedImage image;
    private final Graphics2D graphics;
    private final double pixelsPerNano;
    private final boolean writes;
    private int y = MARGIN;

    /**
     * The steps of one run that are drawn.
     *
     * @param ranks the steps of each rank
     */
    private record Panel(String title, List<List<StepTimes>> ranks) {

        /** Around the step that takes rank 0 the median time: the typical ones. */
        private static Panel of(OverlapRun run) {
            List<StepTimes> steps = run.ranks().getFirst().steps();
            List<StepTimes> sorted = steps.stream()
                    .sorted(Comparator.comparingLong(StepTimes::stepNanos))
                    .toList();
            int from = Math.max(0, Math.min(steps.indexOf(sorted.get(sorted.size() / 2)), steps.size() - STEPS));
            int to = Math.min(steps.size(), from + STEPS);
            boolean isCut = run.ranks().size() > MOST_RANKS;
            return new Panel(
                    run.title()
                            + (isCut
                                    ? ", the first " + MOST_RANKS + " of "
                                            + run.ranks().size() + " ranks"
                                    : ""),
                    run.ranks().stream()
                            .limit(MOST_RANKS)
                            .map(rank -> rank.steps().subList(from, to))
                            .toList());
        }

        private long fromNanos() {
            return ranks.stream()
                    .mapToLong(steps -> steps.getFirst().step().fromNanos())
                    .min()
                    .orElse(0);
        }

        private long toNanos() {
            return ranks.stream()
                    .mapToLong(steps -> steps.getLast().step().toNanos())
                    .max()
                    .orElse(0);
        }

        private int lanes() {
            int buckets = ranks.stream()
                    .flatMap(List::stream)
                    .mapToInt(step -> step.reductions().size())
                    .max()
                    .orElse(0);
            return Math.min(buckets, MOST_LANES);
        }

        private int rankHeight() {
            return COMPUTE + lanes() * BUCKET + 2 * GAP;
        }

        private int height() {
            return TITLE + ranks.size() * rankHeight();
        }
    }

    private TimelineChart(List<Panel> panels) {
        this.panels = panels;
        int height = 2 * MARGIN + panels.stream().mapToInt(Panel::height).sum() + LEGEND;
        long longest = panels.stream()
                .mapToLong(panel -> panel.toNanos() - panel.fromNanos())
                .max()
                .orElse(1);
        this.pixelsPerNano = (WIDTH - 2.0 * MARGIN - LABELS) / longest;
        this.image = new BufferedImage(WIDTH, height, BufferedImage.TYPE_INT_RGB);
        this.graphics = image.createGraphics();
        graphics.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
        graphics.setColor(Color.WHITE);
        graphics.fillRect(0, 0, WIDTH, height);
        this.writes = hasFonts(graphics);
    }

    /** A bare machine has none, and Java says so in its own ways: the chart then goes without words. */
    private static boolean hasFonts(Graphics2D graphics) {
        try {
            graphics.setFont(new Font(Font.SANS_SERIF, Font.PLAIN, 12));
            return graphics.getFontMetrics().getHeight() > 0;
        } catch (RuntimeException | InternalError | LinkageError e) {
            return false;
        }
    }

    /** Draws the chart and writes it, making the folder if it is missing. {@return a line that says where it is, or why there is none} */
    static String write(List<OverlapRun> runs, Path file) {
        return ChartFile.write(() -> draw(runs), file);
    }

    /** {@return the chart} */
    static BufferedImage draw(List<OverlapRun> runs) {
        TimelineChart chart = new TimelineChart(runs.stream().map(Panel::of).toList());
        chart.panels.forEach(chart::drawPanel);
        chart.drawLegend();
        chart.graphics.dispose();
        return chart.image;
    }

    private void drawPanel(Panel panel) {
        text(panel.title(), MARGIN, y + 16);
        y += TITLE;
        for (int rank = 0; rank < panel.ranks().size(); rank++) {
            text("rank " + rank + "  compute", MARGIN, y + 15);
            text("communication", MARGIN + 44, y + COMPUTE + 15);
            for (StepTimes step : panel.ranks().get(rank)) {
                drawStep(step, panel.fromNanos());
            }
            y += panel.rankHeight();
        }
    }

    private void drawStep(StepTimes step, long origin) {
        TimeSpan exposed =
                new TimeSpan("exposed", step.backwardEndNanos(), step.backwardEndNanos() + step.exposedNanos());
        bar(EXPOSED, exposed, origin, y, COMPUTE);
        for (TimeSpan span : step.compute()) {
            bar(computeColor(span.name()), span, origin, y, COMPUTE);
        }
        for (int bucket = 0; bucket < step.reductions().size(); bucket++) {
            int top = y + COMPUTE + GAP / 2 + bucket % MOST_LANES * BUCKET;
            bar(BUCKET_COLOR, step.reductions().get(bucket), origin, top, BUCKET - 2);
        }
    }

    /** The first word says what is computed; which layer's it is may follow. */
    private static Color computeColor(String name) {
        return COMPUTE_COLORS.getOrDefault(name.split(" ", 2)[0], Color.GRAY);
    }

    private void bar(Color color, TimeSpan span, long origin, int top, int height) {
        graphics.setColor(color);
        int from = (int) ((span.fromNanos() - origin) * pixelsPerNano);
        int to = (int) ((span.toNanos() - origin) * pixelsPerNano);
        graphics.fillRect(MARGIN + LABELS + from, top, Math.max(1, to - from), height);
    }

    private void drawLegend() {
        int x = MARGIN + LABELS;
        for (String name : List.of("forward", "backward", "optimizer")) {
            x = drawEntry(computeColor(name), name, x);
        }
        x = drawEntry(EXPOSED, "exposed", x);
        x = drawEntry(BUCKET_COLOR, "a bucket's reduction", x);
        text(legend((WIDTH - 2.0 * MARGIN - LABELS) / pixelsPerNano), x + MARGIN, y + 18);
    }

    /** {@return what the width stands for, written alike in every country} */
    static String legend(double nanos) {
        return String.format(Locale.ROOT, "%.1f ms from left to right", nanos / 1e6);
    }

    private int drawEntry(Color color, String name, int x) {
        graphics.setColor(color);
        graphics.fillRect(x, y + 8, 14, 12);
        text(name, x + 20, y + 18);
        return x + 32 + 8 * name.length();
    }

    private void text(String text, int x, int baseline) {
        if (writes) {
            graphics.setColor(Color.DARK_GRAY);
            graphics.drawString(text, x, baseline);
        }
    }
}
