package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.StepMessageContract;

class LocalStepMessageTest extends StepMessageContract implements LocalWorlds {}
