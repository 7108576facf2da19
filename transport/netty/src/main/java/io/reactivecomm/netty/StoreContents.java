package io.reactivecomm.netty;

/** What a store holds: keys with values, and queues, within one budget. */
record StoreContents(StoreTable table, StoreQueues queues) {

    static StoreContents empty() {
        StoreBudget budget = new StoreBudget();
        return new StoreContents(new StoreTable(budget), new StoreQueues(budget));
    }
}
