package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.SubscriptionContract;

class LocalSubscriptionTest extends SubscriptionContract implements LocalWorlds {}
