package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.StepContract;

class LocalStepTest extends StepContract implements LocalWorlds {}
