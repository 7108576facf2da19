package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.group.FatalErrorContract;

class LocalFatalErrorTest extends FatalErrorContract implements LocalWorlds {}
