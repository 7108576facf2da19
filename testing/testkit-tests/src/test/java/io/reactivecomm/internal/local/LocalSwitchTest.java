package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.group.SwitchContract;

/** The switches of a local world. */
class LocalSwitchTest extends SwitchContract implements LocalWorlds {}
