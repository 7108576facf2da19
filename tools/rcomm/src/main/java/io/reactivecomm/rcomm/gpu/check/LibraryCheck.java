package io.reactivecomm.rcomm.gpu.check;

import io.reactivecomm.nccl.NcclProbe;
import java.util.LinkedHashMap;
import java.util.Map;

/** The library that is loaded for NCCL, and its version. */
final class LibraryCheck implements Check {

    @Override
    public String name() {
        return "library";
    }

    @Override
    public String claim() {
        return "a library is loaded and says its version; nothing of its functions, and no GPU is needed";
    }

    @Override
    public Map<String, Object> measure(Machine machine) throws SkippedCheck {
        NcclProbe library = machine.library();
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("kind", library.label());
        values.put("version", library.version());
        values.put("loaded", library.name());
        return values;
    }
}
