package io.reactivecomm.pytorch;

/** Passes that accumulate gradients on this rank alone. */
record LocalPass() implements Pass {

    @Override
    public void accumulates(ParameterGradient gradient) {
        gradient.prepare();
    }
}
