package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.collective.DisagreementContract;

class LocalDisagreementTest extends DisagreementContract implements LocalWorlds {}
