// The files beside a policy: which client belongs to which class, limits of single clients, and clients that are never
// limited.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "domain/policy.h"

namespace ratectl::config {

using ClassLimits = std::map<std::string, std::int64_t, std::less<>>;
using Members = std::map<std::string, domain::ClassMember, std::less<>>;

using Exempt = std::set<std::string, std::less<>>;
/// How a key holds a client.
using InKeys = std::function<std::string(std::string_view client)>;

/// CSV: `client,class[,limit]`, fields in double quotes where they hold a comma, a quote or spaces at an end; a first
/// line `client,class...` is a header; empty lines and lines that begin with # are skipped. Throws Failure
/// (configuration) naming `path:line`, and no client: a class that is not in `classes` and has no limit of its own, a
/// client named twice, a bad limit.
Members parse_class_file(std::string_view text, const std::string& path, const ClassLimits& classes,
                         const InKeys& in_keys);
/// A client a line; empty lines and lines that begin with # are skipped, so are blanks around a client.
Exempt parse_exempt_file(std::string_view text, const InKeys& in_keys);

/// Read and parse them; at most 256 MiB.
Members read_class_file(const std::string& path, const ClassLimits& classes, const InKeys& in_keys);
Exempt read_exempt_file(const std::string& path, const InKeys& in_keys);

}  // namespace ratectl::config
