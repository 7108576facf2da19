package io.reactivecomm.local;

import io.reactivecomm.testkit.DisagreementContract;

class LocalDisagreementTest extends DisagreementContract implements LocalWorlds {}
