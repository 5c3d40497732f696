// What a write's script call carries beside its windows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "domain/operation.h"

namespace ratectl::schemes {

struct CallHead {
    /// Null: no operation key is written, so the same call again would write again.
    std::optional<domain::SliceId> id = {};
    std::optional<std::int64_t> deadline_ms = {};  // on the server's clock; later than that nothing is written
    std::string fingerprint;                       // of what is asked for; another one under the same id is refused
    std::string actor;
    std::string host;
    std::string reason;
    /// The call that this one takes back, as far as that has not been done; null: it is no undo.
    std::optional<domain::SliceId> undoes = {};
};

}  // namespace ratectl::schemes
