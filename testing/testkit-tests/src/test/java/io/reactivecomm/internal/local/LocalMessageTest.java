package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.stream.MessageContract;

class LocalMessageTest extends MessageContract implements LocalWorlds {}
