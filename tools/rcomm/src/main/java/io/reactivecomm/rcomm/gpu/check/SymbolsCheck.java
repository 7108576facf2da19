package io.reactivecomm.rcomm.gpu.check;

import io.reactivecomm.nccl.NcclProbe;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The functions of the table that the library has. */
final class SymbolsCheck implements Check {

    @Override
    public String name() {
        return "symbols";
    }

    @Override
    public String claim() {
        return "functions are there by name; not that they do what they should, and no GPU is needed";
    }

    @Override
    public Map<String, Object> measure(Machine machine) throws SkippedCheck {
        NcclProbe library = machine.library();
        List<String> missing = library.missing();
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("found", library.known().size());
        values.put("missing", missing.isEmpty() ? "none" : String.join(" ", missing));
        return values;
    }
}
