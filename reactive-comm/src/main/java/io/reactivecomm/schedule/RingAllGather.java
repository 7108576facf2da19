package io.reactivecomm.schedule;

/**
 * All-gather around the ring: each rank passes on what it has just got.
 *
 * <pre>
 * five ranks, the way of part 2:   2 → 3 → 4 → 0 → 1
 * </pre>
 *
 * <p><b>In place.</b> The copy of the own part falls away when input is that part.
 *
 * <p><b>Cost.</b> n−1 steps; each rank sends and receives n−1 parts, to and from its neighbours. Parts may differ in length.
 *
 * <p><b>Source.</b> Thakur, Rabenseifner, Gropp 2005.
 */
public final class RingAllGather implements Algorithm {

    @Override
    public String name() {
        return "ring";
    }

    @Override
    public Schedule schedule(Place place) {
        StepList steps = new StepList();
        for (int tensor = 0; tensor < place.cut(Buffer.INPUT).parts(); tensor++) {
            Span input = place.part(Buffer.INPUT, tensor);
            int first = tensor * place.size();
            steps.copy(input, place.part(Buffer.OUTPUT, first + place.rank()));
            Wait[] here = new Wait[0];
            Span passed = input;
            for (int hop = 1; hop < place.size(); hop++) {
                steps.send(place.around(1), passed, here);
                passed = place.part(Buffer.OUTPUT, first + place.around(-hop));
                here = new Wait[] {Wait.forElementsOf(steps.receive(place.around(-1), passed))};
            }
        }
        return steps.named(name());
    }

    @Override
    public Cost cost(Place place) {
        long ofNext = 0;
        for (int tensor = 0; tensor < place.cut(Buffer.INPUT).parts(); tensor++) {
            ofNext += place.part(Buffer.OUTPUT, tensor * place.size() + place.around(1)).count();
        }
        int hops = place.size() - 1;
        long transfers = (long) hops * place.cut(Buffer.INPUT).parts();
        long total = place.total(Buffer.OUTPUT);
        return Cost.of(hops, Cost.Volume.of(transfers, total - ofNext), Cost.Volume.of(transfers, total - place.total(Buffer.INPUT)));
    }
}
