package io.reactivecomm.nccl.doubles;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** The dialects and versions that the double of NCCL is built in: what a version has not got is not exported. */
public enum NcclDoubleDialect {
    NCCL("libnccl.so.2", "nccl"),
    /** 2.22.3, Debian's. */
    NCCL_OF_DEBIAN(
            "libnccl.so.2",
            "nccl",
            "AlltoAll",
            "CommGetUniqueId",
            "CommGrow",
            "CommRevoke",
            "CommShrink",
            "Gather",
            "Scatter"),
    /** 2.10. */
    OLD_NCCL(
            "libnccl.so.2",
            "nccl",
            "AlltoAll",
            "CommAbort",
            "CommDeregister",
            "CommFinalize",
            "CommGetAsyncError",
            "CommGetUniqueId",
            "CommGrow",
            "CommInitRankConfig",
            "CommRegister",
            "CommRevoke",
            "CommShrink",
            "CommSplit",
            "Gather",
            "GetLastError",
            "MemAlloc",
            "MemFree",
            "RedOpCreatePreMulSum",
            "RedOpDestroy",
            "Scatter",
            "SetDevice"),
    /** The all-to-all is there by the spelling of its own that it had before 2.28. */
    RCCL("librccl.so.1", "nccl", "CommGetUniqueId", "CommGrow", "CommRevoke", "CommShrink", "Gather", "Scatter"),
    ONECCL("libccl.so.2", "oneccl", "CommGetUniqueId", "CommGrow", "CommRevoke", "CommShrink");

    private final String file;
    private final String prefix;
    private final List<String> absent;

    NcclDoubleDialect(String file, String prefix, String... absent) {
        this.file = file;
        this.prefix = prefix;
        this.absent = List.copyOf(Arrays.asList(absent));
    }

    /** {@return the name by which the library is known} */
    public String file() {
        return file;
    }

    /** {@return whether its calls block until they are done, and it is built from other objects} */
    public boolean isOneCcl() {
        return this == ONECCL;
    }

    /** {@return the symbols that are left out} The sources have two spellings of the all-to-all. */
    List<String> hidden() {
        String spelling = this == RCCL || this == ONECCL ? "AlltoAll" : "AllToAll";
        return Stream.concat(absent.stream(), Stream.of(spelling))
                .map(stem -> prefix + stem)
                .sorted()
                .toList();
    }
}
