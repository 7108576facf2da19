package io.reactivecomm.internal.transfer;

import io.reactivecomm.spi.link.Loan;

/** A loan that is kept for a while, and the way back. Owned by the loop. */
record LentPayload(Loan loan, Outbox lender) {

    void giveBack() {
        lender.giveBack(loan);
    }
}
