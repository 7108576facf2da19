package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.PublisherContract;

class LocalPublisherTest extends PublisherContract implements LocalWorlds {}
