package io.reactivecomm.pytorch;

import io.reactivecomm.testkit.house.ModuleRulesContract;

/** The architecture rules on this module. */
class RulesTest extends ModuleRulesContract {

    RulesTest() {
        super("io.reactivecomm.pytorch");
    }
}
