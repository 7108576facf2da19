package io.reactivecomm.pytorch;

/** The backward passes that may run at present. */
sealed interface Pass permits FinishedPass, LocalPass, SyncedPass {

    /** Autograd is about to accumulate a gradient. Whatever this throws ends the backward pass. */
    void accumulates(ParameterGradient gradient);
}
