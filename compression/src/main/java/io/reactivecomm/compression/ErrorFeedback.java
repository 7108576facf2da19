package io.reactivecomm.compression;

import io.reactivecomm.Tensor;
import io.reactivecomm.compression.internal.call.HostMemory;

/** Error feedback around any codec, for {@link Codec#encodeWithError}. */
final class ErrorFeedback {

    private ErrorFeedback() {}

    static void encode(
            Codec codec, Tensor values, Tensor before, Tensor after, int parts, Tensor encoded, long[] lengths) {
        CodecChecks.encodingWithError(codec, values, before, after, parts, encoded, lengths);
        add(values, before, after);
        codec.encode(after, parts, encoded, lengths);
        long partCount = after.count() / parts;
        long stride = codec.maxEncodedBytes(partCount);
        for (int p = 0; p < parts; p++) {
            codec.decodeAndAdd(encoded.slice(p * stride, lengths[p]), -1, after.slice(p * partCount, partCount));
        }
    }

    private static void add(Tensor values, Tensor before, Tensor after) {
        Strip strip = Strip.of(values.type());
        Source source = new Source(values, before);
        for (long at = 0; at < source.count(); at += Strip.LENGTH) {
            int n = (int) Math.min(Strip.LENGTH, source.count() - at);
            source.load(strip, at, n);
            strip.write(after.type(), HostMemory.of(after, "after"), at, n);
        }
    }
}
