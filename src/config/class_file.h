// The class file of a policy: which client belongs to which class, and limits of single clients.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "domain/policy.h"

namespace ratectl::config {

using ClassLimits = std::map<std::string, std::int64_t, std::less<>>;
using Members = std::map<std::string, domain::ClassMember, std::less<>>;

/// CSV: `client,class[,limit]`, fields in double quotes where they hold a comma, a quote or spaces at an end; a first line
/// `client,class...` is a header; empty lines and lines that begin with # are skipped. Throws Failure (configuration)
/// naming `path:line`: a class that is not in `classes` and has no limit of its own, a client named twice, a bad limit.
Members parse_class_file(std::string_view text, const std::string& path, const ClassLimits& classes);

/// Reads and parses it; at most 256 MiB.
Members read_class_file(const std::string& path, const ClassLimits& classes);

}  // namespace ratectl::config
