package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.FatalErrorContract;

class LocalFatalErrorTest extends FatalErrorContract implements LocalWorlds {}
