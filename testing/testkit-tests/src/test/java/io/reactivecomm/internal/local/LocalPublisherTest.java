package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.stream.PublisherContract;

class LocalPublisherTest extends PublisherContract implements LocalWorlds {}
