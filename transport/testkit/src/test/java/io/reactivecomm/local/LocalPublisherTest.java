package io.reactivecomm.local;

import io.reactivecomm.testkit.PublisherContract;

class LocalPublisherTest extends PublisherContract implements LocalWorlds {}
