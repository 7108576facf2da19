package io.reactivecomm.netty;

/** The contents of a store: keys with values, and queues, within one budget. */
record StoreContents(StoreTable table, StoreQueues queues) {

    static StoreContents empty() {
        StoreBudget budget = new StoreBudget();
        return new StoreContents(new StoreTable(budget), new StoreQueues(budget));
    }
}
