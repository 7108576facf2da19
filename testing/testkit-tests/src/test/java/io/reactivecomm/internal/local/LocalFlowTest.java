package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.FlowContract;

class LocalFlowTest extends FlowContract implements LocalWorlds {}
