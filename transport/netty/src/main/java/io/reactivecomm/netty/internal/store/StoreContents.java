package io.reactivecomm.netty.internal.store;

import io.reactivecomm.spi.JobBoard;

/** The contents of a store: keys with values, and queues, within one budget; and beside them what ranks tell those who watch. */
record StoreContents(StoreTable table, StoreQueues queues, JobBoard board) {

    static StoreContents empty() {
        StoreBudget budget = new StoreBudget();
        return new StoreContents(new StoreTable(budget), new StoreQueues(budget), new JobBoard());
    }
}
