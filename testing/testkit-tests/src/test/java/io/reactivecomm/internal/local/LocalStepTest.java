package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.group.StepContract;

class LocalStepTest extends StepContract implements LocalWorlds {}
