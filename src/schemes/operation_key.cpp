// Builds and parses names of operation keys.
#include "schemes/operation_key.h"

#include "domain/key_template.h"
#include "support/decimal.h"

namespace ratectl::schemes {

std::string operation_key(const domain::SliceId& id) {
    return std::string(domain::kReservedPrefix) + domain::to_string(id);
}

std::string undone_key(const domain::SliceId& id) { return operation_key(id) + ".undone"; }

std::string operation_pattern(const std::optional<std::string>& operation) {
    std::string pattern = domain::escape_glob(domain::kReservedPrefix);
    if (operation) pattern += domain::escape_glob(*operation + ".");
    return pattern + "*";
}

std::optional<domain::SliceId> operation_of(std::string_view key) {
    if (!key.starts_with(domain::kReservedPrefix)) return std::nullopt;
    key.remove_prefix(domain::kReservedPrefix.size());
    const auto dot = key.find('.');
    if (dot == std::string_view::npos || !domain::check_operation_id(key.substr(0, dot))) return std::nullopt;
    const auto number = support::parse_unsigned(key.substr(dot + 1));
    if (!number || *number == 0) return std::nullopt;
    return domain::SliceId{std::string(key.substr(0, dot)), *number};
}

}  // namespace ratectl::schemes
