package io.reactivecomm.observability.doctor;

import java.util.List;

/** A look for one sort of culprit. */
interface Symptom {

    /** {@return those whom it finds} Who is blamed already need not be left out: the doctor does that. */
    List<Finding> find(Evidence evidence);
}
