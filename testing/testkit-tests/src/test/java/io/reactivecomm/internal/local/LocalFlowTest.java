package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.collective.FlowContract;

class LocalFlowTest extends FlowContract implements LocalWorlds {}
