// std::fs (language 07 §12). Options stand last, in the order of the ledger. Rows that fail answer Result.
#pragma once

#include <nikaia/rt/bytes.h>
#include <nikaia/rt/duration.h>
#include <nikaia/rt/path.h>
#include <nikaia/rt/vec.h>

namespace nikaia {

Result<Bytes> fs_read(PathRef path, RootRef root, bool trusted = true);
Result<String> fs_read_to_string(PathRef path, RootRef root, bool trusted = true);
Result<void> fs_write(PathRef path, RootRef root, DataRef data, bool append = false, bool create = true);
Result<bool> fs_exists(PathRef path, RootRef root);

}  // namespace nikaia
