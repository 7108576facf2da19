package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.group.StepMessageContract;

class LocalStepMessageTest extends StepMessageContract implements LocalWorlds {}
