package io.reactivecomm.compression;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * The codecs written from their definitions alone, one number after the other: doubles, which are rounded after each operation where the
 * accumulator is FLOAT32. A float's sum, product or quotient that is rounded to double first is the same float.
 */
final class Oracle {

    /** An encoding of all parts, and what was encoded and lost. */
    record Encoding(byte[][] parts, double[] numbers, double[] lost) {}

    private final Codec codec;
    private final boolean isWide;

    Oracle(Codec codec, boolean isWide) {
        this.codec = codec;
        this.isWide = isWide;
    }

    private double rounded(double exact) {
        return isWide ? exact : (float) exact;
    }

    Encoding encode(double[] values, double[] before, int parts) {
        double[] b = new double[before.length];
        for (int i = 0; i < b.length; i++) {
            b[i] = rounded((i < values.length ? values[i] : 0) + before[i]);
        }
        return encode(b, parts);
    }

    Encoding encode(double[] b, int parts) {
        byte[][] encoded = new byte[parts][];
        double[] lost = new double[b.length];
        int count = b.length / parts;
        for (int p = 0; p < parts; p++) {
            double[] part = Arrays.copyOfRange(b, p * count, (p + 1) * count);
            encoded[p] = count == 0 ? new byte[0] : part(part, b);
            double[] decoded = decode(encoded[p], count, 1);
            for (int i = 0; i < count; i++) {
                lost[p * count + i] = rounded(part[i] - decoded[i]);
            }
        }
        return new Encoding(encoded, b, lost);
    }

    private byte[] part(double[] part, double[] all) {
        return switch (codec) {
            case OneBit oneBit -> oneBit(part, all);
            case BlockQuantization q -> blocks(part, q.bits(), q.block());
            case TopK topK -> topK(part, topK.density());
            case Threshold threshold -> threshold(part, all, rounded(threshold.tau()));
            default -> throw new AssertionError(codec);
        };
    }

    double[] decode(byte[] part, int count, double weight) {
        ByteBuffer in = ByteBuffer.wrap(part).order(ByteOrder.LITTLE_ENDIAN);
        double[] decoded = new double[count];
        double w = rounded(weight);
        switch (codec) {
            case OneBit oneBit -> {
                for (int i = 0; i < count; i++) {
                    double s = rounded(rounded(in.getDouble(0)) * w);
                    decoded[i] = (part[8 + i / 8] >> (7 - i % 8) & 1) == 1 ? s : -s;
                }
            }
            case BlockQuantization q -> readBlocks(in, q.bits(), q.block(), w, decoded);
            case TopK topK -> {
                while (in.hasRemaining()) {
                    decoded[in.getInt()] = rounded(in.getFloat() * w);
                }
            }
            case Threshold threshold -> readThreshold(in, w, decoded);
            default -> throw new AssertionError(codec);
        }
        return decoded;
    }

    private byte[] oneBit(double[] part, double[] all) {
        double[] sums = new double[32];
        for (int i = 0; i < all.length; i++) {
            sums[i % 32] += all[i] * all[i];
        }
        for (int half = 16; half > 0; half /= 2) {
            for (int i = 0; i < half; i++) {
                sums[i] = sums[i] + sums[i + half];
            }
        }
        ByteBuffer out = bytes(8 + (part.length + 7) / 8);
        out.putLong(Double.doubleToLongBits(rounded(Math.sqrt(sums[0]) / Math.sqrt(all.length))));
        for (int i = 0; i < part.length; i++) {
            if (!(part[i] < 0)) {
                out.put(8 + i / 8, (byte) (out.get(8 + i / 8) | 1 << (7 - i % 8)));
            }
        }
        return out.array();
    }

    private byte[] blocks(double[] part, int bits, int block) {
        double levels = bits == 8 ? 127 : 7;
        ByteBuffer out = bytes(part.length * 9 + 8);
        for (int from = 0; from < part.length; from += block) {
            int n = Math.min(block, part.length - from);
            double largest = 0;
            for (int i = 0; i < n; i++) {
                double magnitude = Math.abs(part[from + i]);
                largest = Double.isInfinite(magnitude) ? Double.NaN : Math.max(largest, magnitude);
            }
            double raise = largest < Math.pow(2, isWide ? -512 : -64) ? Math.pow(2, isWide ? 512 : 64) : 1;
            double scale = rounded(levels / rounded(largest * raise));
            int[] q = new int[n + 1];
            for (int i = 0; i < n && largest > 0; i++) {
                q[i] = (int) Math.rint(rounded(rounded(part[from + i] * raise) * scale));
            }
            out.putLong(Double.doubleToLongBits(largest));
            int half = (n + 1) / 2;
            for (int i = 0; i < (bits == 8 ? n : half); i++) {
                out.put((byte) (bits == 8 ? q[i] : (q[i] & 15) + 16 * (q[half + i] & 15)));
            }
        }
        return Arrays.copyOf(out.array(), out.position());
    }

    private void readBlocks(ByteBuffer in, int bits, int block, double weight, double[] decoded) {
        double share = rounded(1.0 / (bits == 8 ? 127 : 7));
        for (int from = 0; from < decoded.length; from += block) {
            int n = Math.min(block, decoded.length - from);
            double by = rounded(rounded(in.getDouble()) * weight);
            int half = (n + 1) / 2;
            for (int i = 0; i < (bits == 8 ? n : half); i++) {
                int q = in.get();
                if (bits == 8) {
                    decoded[from + i] = rounded(rounded(q * share) * by);
                } else {
                    decoded[from + i] = rounded(rounded(((q & 15) > 7 ? (q & 15) - 16 : q & 15) * share) * by);
                    if (half + i < n) {
                        decoded[from + half + i] = rounded(rounded(Math.floorDiv(q, 16) * share) * by);
                    }
                }
            }
        }
    }

    private static byte[] topK(double[] part, double density) {
        int k = (int) Math.max(1, Math.rint(density * part.length));
        // A stable sort: equal ones stay in the order of their indices. Double's order has NaN above infinity.
        int[] kept = IntStream.range(0, part.length)
                .boxed()
                .sorted(Comparator.comparing((Integer i) -> Math.abs(part[i])).reversed())
                .limit(k)
                .mapToInt(i -> i)
                .sorted()
                .toArray();
        ByteBuffer out = bytes(8 * k);
        for (int i : kept) {
            out.putInt(i).putFloat(Double.isNaN(part[i]) ? Float.NaN : (float) part[i]);
        }
        return out.array();
    }

    private static byte[] threshold(double[] part, double[] all, double tau) {
        boolean isFinite = Arrays.stream(all).allMatch(Double::isFinite);
        int[] reaching = IntStream.range(0, isFinite ? part.length : 0)
                .filter(i -> Math.abs(part[i]) >= tau)
                .toArray();
        int mapBytes = (part.length + 3) / 4;
        ByteBuffer out = bytes(32 + Math.min(mapBytes, 4 * reaching.length));
        out.putDouble(isFinite ? tau : Double.NaN);
        out.putLong(all.length);
        out.putLong(
                isFinite ? Arrays.stream(all).filter(x -> Math.abs(x) >= tau).count() : 0);
        out.putLong(reaching.length);
        for (int i : reaching) {
            if (4 * reaching.length < mapBytes) {
                out.putInt(i + (part[i] < 0 ? 1 << 31 : 0));
            } else {
                out.put(32 + i / 4, (byte) (out.get(32 + i / 4) + ((part[i] < 0 ? 2 : 1) << i % 4 * 2)));
            }
        }
        return out.array();
    }

    private void readThreshold(ByteBuffer in, double weight, double[] decoded) {
        if (!in.hasRemaining()) {
            return;
        }
        double tau = in.getDouble(0);
        double step = rounded(rounded(tau) * weight);
        if (Double.isNaN(tau)) {
            Arrays.fill(decoded, Double.NaN);
        } else if (in.capacity() - 32 < (decoded.length + 3) / 4) {
            for (int at = 32; at < in.capacity(); at += 4) {
                decoded[in.getInt(at) & Integer.MAX_VALUE] = in.getInt(at) < 0 ? -step : step;
            }
        } else {
            for (int i = 0; i < decoded.length; i++) {
                int code = in.get(32 + i / 4) >> i % 4 * 2 & 3;
                decoded[i] = code == 0 ? 0 : code == 1 ? step : -step;
            }
        }
    }

    private static ByteBuffer bytes(int length) {
        return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** {@return what a target of accumulators holds after an addition} */
    double sum(double sum, double decoded) {
        return rounded(sum + decoded);
    }
}
