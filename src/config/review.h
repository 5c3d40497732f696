// What is allowed in a configuration and yet worth a second look: policies that overlap, rings that collide, files that
// are missing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/settings.h"
#include "domain/key_template.h"

namespace ratectl::config {

/// A warning is almost surely a mistake; a note may well be meant.
struct Finding {
    enum class Weight { note, warning };
    Weight weight = Weight::note;
    std::string_view check;  // what was being checked: `sharding`, `tls`, `policies`
    Origin origin;
    std::string message;
    std::string hint;
};

/// In the order of the file.
std::vector<Finding> review(const Settings& settings);

/// A key that both templates match, if there is one. Exact.
std::optional<std::string> common_key(const domain::KeyTemplate& a, const domain::KeyTemplate& b);
/// True when `wider` matches every key that `narrower` matches. Exact.
bool covers(const domain::KeyTemplate& wider, const domain::KeyTemplate& narrower);

}  // namespace ratectl::config
