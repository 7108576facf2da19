package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.MessageContract;

class LocalMessageTest extends MessageContract implements LocalWorlds {}
