package io.reactivecomm.testkit.chain;

import java.util.List;
import java.util.stream.Stream;

/** The operators from which plans are drawn. */
final class OperatorCatalogue {

    static final List<ChainOperator> ALL = Stream.of(
                    PassingOperators.ALL,
                    FailingOperators.ALL,
                    LosingOperators.ALL,
                    RepeatingOperators.ALL,
                    EndlessOperators.ALL)
            .flatMap(List::stream)
            .toList();

    /** Those after which every rank's gradients are in a sum, unless the step fails: one rank at most has others in a step. */
    static final List<ChainOperator> KEEPING =
            ALL.stream().filter(each -> !each.kind().mayLose()).toList();

    private OperatorCatalogue() {}
}
