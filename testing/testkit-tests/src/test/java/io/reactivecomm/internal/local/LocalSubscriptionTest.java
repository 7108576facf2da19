package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.collective.SubscriptionContract;

class LocalSubscriptionTest extends SubscriptionContract implements LocalWorlds {}
