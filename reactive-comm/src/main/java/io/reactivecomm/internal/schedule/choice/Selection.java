package io.reactivecomm.internal.schedule.choice;

import io.reactivecomm.Bits;
import io.reactivecomm.UnsupportedCollectiveException;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Signature;
import io.reactivecomm.internal.schedule.Algorithm;
import io.reactivecomm.internal.schedule.Layout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The choice of an algorithm for each call: a table of rows, the first of which that serves a call decides.
 *
 * <p>A row is {@code OPERATION[:CONDITION,…]=ALGORITHM}, rows are separated by semicolons or lines:
 *
 * <pre>
 *   all-reduce:ranks>=4,bytes>=1M=ring; broadcast:share>=128K=chain
 * </pre>
 *
 * <p>A condition bounds {@code ranks}, {@code hosts} (the group's machines), {@code per-host} (the ranks of the one with most), {@code bytes}
 * (the call's size as {@code rcomm perf} counts it), {@code total} (bytes times ranks), {@code share} (bytes divided by ranks) or
 * {@code widening} (the length of a partial result in elements) with {@code >=} or {@code <=}. K, M and G are powers of 1024. A row serves
 * only calls that its algorithm can run, and, unless it or the caller says so, only those whose bits it keeps.
 *
 * <p>It looks only at what all ranks of a call agree on, so that they choose alike. Immutable; its text is the table.
 */
public final class Selection {

    /**
     * The library's own table. Below 16 KiB in all, and between two for all that travels without a grant, a step saved is worth all the
     * bytes. From eight ranks on a logarithm of steps beats a transfer with every rank while bytes are few. And a chain or a ring pays
     * where a share is as long as several pieces. Within one machine no link is the root's own, so a reduce needs no chain, but other cores
     * to fold. Where hosts have several ranks, what crosses between hosts is what counts: of those that go by hosts the one that moves fewest
     * bytes, which depends on how many hosts and ranks there are, and on how long partial results are; but a step for each host is only worth
     * it where a share is long. An inference all-reduce asks for fewest steps: one up to 1 MiB in all, then two. docs/algorithms.md says which numbers were measured and which were calculated.
     */
    public static final Selection DEFAULT = parse("""
            all-reduce:ranks<=2,bytes<=64K=gather-fold
            all-reduce:total<=16K=gather-fold
            all-reduce:ranks<=1=gather-fold
            all-reduce:hosts>=2,per-host>=2,bytes>=128K,share>=16K=hierarchical-ring
            all-reduce:hosts>=2,per-host>=4,bytes>=128K,share>=4K=hierarchical-ring
            all-reduce:hosts>=2,per-host>=2,per-host<=2,widening>=2,bytes>=128K=hierarchical-direct
            all-reduce:hosts>=3,hosts<=4,per-host>=2,per-host<=3,widening>=2,bytes>=128K=hierarchical-direct
            all-reduce:hosts>=3,hosts<=3,per-host>=2,per-host<=2,bytes>=128K=hierarchical-direct
            all-reduce:hosts>=2,hosts<=2,per-host>=2,bytes>=128K=hierarchical-chain
            all-reduce:hosts>=3,per-host>=3,share>=16K=hierarchical-chain
            all-reduce:hosts>=3,per-host>=2,share>=64K=hierarchical-chain
            all-reduce:hosts>=2,per-host>=2,bytes>=128K=hierarchical-direct
            all-reduce:ranks>=8,bytes<=64K=recursive-doubling
            all-reduce:ranks>=32,share>=1M=ring
            inference-all-reduce:ranks<=2,bytes<=64K=gather-fold
            inference-all-reduce:total<=16K=gather-fold
            inference-all-reduce:ranks<=1=gather-fold
            inference-all-reduce:total<=1M=staged-gather-fold
            inference-all-reduce:hosts>=2,per-host>=2=hierarchical-direct
            reduce:hosts>=2,per-host>=2,bytes>=128K=hierarchical-chain
            reduce:hosts<=1,ranks>=4,bytes>=4M=rank-order-direct
            reduce:hosts>=2,ranks>=4,bytes>=1M=rank-order-chain
            reduce:ranks>=16,bytes>=8K=binomial
            broadcast:hosts>=3,per-host>=2,bytes>=1M=hierarchical-chain
            broadcast:hosts>=2,per-host>=2,per-host<=16=hierarchical-binomial
            broadcast:hosts>=2,per-host>=2,bytes>=64K=hierarchical-binomial
            broadcast:ranks>=4,share>=256K=chain
            all-gather:hosts>=2,per-host>=2,bytes>=16K=hierarchical-direct
            all-gather:ranks>=32,share>=1M=ring
            reduce-scatter:hosts>=2,per-host>=2,bytes>=128K,share>=16K=hierarchical-ring
            reduce-scatter:hosts>=2,per-host>=4,bytes>=128K,share>=4K=hierarchical-ring
            reduce-scatter:hosts>=2,per-host>=5,bytes>=128K,share>=8K=hierarchical-chain
            reduce-scatter:hosts>=4,per-host>=4,share>=32K=hierarchical-chain
            reduce-scatter:hosts>=6,per-host>=3,share>=32K=hierarchical-chain
            reduce-scatter:hosts>=2,per-host>=3,widening<=1,share>=32K=hierarchical-chain
            reduce-scatter:hosts>=4,per-host>=2,widening<=1,share>=64K=hierarchical-chain
            reduce-scatter:ranks>=32,share>=1M=ring
            all-to-all:ranks>=64,share<=128=bruck
            all-to-all:ranks>=32,share>=1M=pairwise
            """);

    private static final String SEPARATORS = "[;\n]";

    private final List<SelectionRow> rows;
    private final long eagerBytes;

    private Selection(List<SelectionRow> rows, long eagerBytes) {
        this.rows = List.copyOf(rows);
        this.eagerBytes = eagerBytes;
    }

    /**
     * {@return the table of those rows alone; a call that none serves goes by the algorithm that serves every call of its operation}
     *
     * @throws io.reactivecomm.RendezvousException if a row cannot be read
     */
    public static Selection parse(String rows) {
        return new Selection(rowsOf(rows), Long.MAX_VALUE);
    }

    private static List<SelectionRow> rowsOf(String text) {
        return Arrays.stream(text.split(SEPARATORS))
                .filter(row -> !row.isBlank())
                .map(SelectionRow::parse)
                .toList();
    }

    /**
     * {@return this table with those rows before its own}
     *
     * @param rows the caller's rows, or an empty text
     * @throws io.reactivecomm.RendezvousException if a row cannot be read
     */
    public Selection with(String rows) {
        List<SelectionRow> all = new ArrayList<>(rowsOf(rows));
        all.addAll(this.rows);
        return new Selection(all, eagerBytes);
    }

    /**
     * {@return this selection, with gather-fold only for tensors whose transfers need no grant}
     * Its fold waits for its sends. So a send that waited for the peer's fold to grant it would wait for ever.
     *
     * @param eagerBytes the largest transfer that travels without a grant
     */
    public Selection within(int eagerBytes) {
        return new Selection(rows, eagerBytes);
    }

    /**
     * {@return the algorithm for a call in a group}
     *
     * @param layout the group's ranks and their hosts
     * @param wish what the caller asks for
     * @throws UnsupportedCollectiveException if the call cannot run the algorithm that is asked for
     */
    public Algorithm algorithm(Collective call, Layout layout, Wish wish) {
        Signature signature = call.signature();
        if (wish.algorithm().isEmpty()) {
            return algorithm(signature, layout, wish.bits());
        }
        List<Offer> able = offers(signature, layout);
        return able.stream()
                .filter(offer -> offer.name().equals(wish.algorithm()))
                .findFirst()
                .map(Offer::algorithm)
                .orElseThrow(() -> new UnsupportedCollectiveException(call.label()
                        + " cannot run that algorithm: algorithm=" + wish.algorithm() + ", call="
                        + call.describe() + ", size=" + layout.size() + ", hosts=" + layout.hosts() + "; choose "
                        + able.stream().map(Offer::name).collect(Collectors.joining(" or "))));
    }

    /** {@return the algorithm for a collective of that signature in a group} */
    public Algorithm algorithm(Signature signature, Layout layout, Bits bits) {
        CallSize size = CallSize.of(signature, layout);
        for (SelectionRow row : rows) {
            if (row.serves(signature, size, bits, eagerBytes)) {
                return row.offer().algorithm();
            }
        }
        List<Offer> offers = Offer.of(signature.operation());
        if (offers.isEmpty()) {
            throw new IllegalArgumentException("no algorithm to choose: operation="
                    + signature.operation().label() + "; name an operation that has one, such as all-reduce");
        }
        return offers.getFirst().algorithm();
    }

    /** {@return the algorithms that can run such a call, those that change its bits among them} */
    public List<Offer> offers(Signature signature, Layout layout) {
        return Offer.of(signature.operation()).stream()
                .filter(offer -> offer.runs(signature, layout, eagerBytes))
                .toList();
    }

    /** {@return the rows, a line each, as {@link #parse} reads them} */
    @Override
    public String toString() {
        return rows.stream().map(SelectionRow::toString).collect(Collectors.joining("\n"));
    }
}
