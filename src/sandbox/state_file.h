// What a sandbox's folder says about its servers, so that any later run can find and end exactly them.
#pragma once

#include <string>
#include <vector>

#include "domain/endpoint.h"
#include "sandbox/process.h"
#include "support/error.h"

namespace ratectl::sandbox {

/// What a server was started as.
enum class Part { primary, replica, sentinel };
const char* name_of(Part part);

/// One server of a sandbox.
struct Member {
    std::string shard;  // empty: a sentinel, which is of no shard
    Part part = Part::primary;
    std::uint16_t port = 0;
    std::string folder;  // name of its folder inside the sandbox's
    ProcessMark mark;

    domain::Endpoint endpoint() const;
};

inline constexpr const char* kStateFile = "sandbox.state";
inline constexpr const char* kPasswordFile = "password";
inline constexpr const char* kLockFile = "sandbox.lock";

/// A line of words a server below a first line with the version.
std::string to_text(const std::vector<Member>& members);
/// Error (local_io): not such a text; `name` is for the message.
support::Result<std::vector<Member>> members_from(const std::string& text, const std::string& name);

/// For its owner alone; written whole or not at all (a temporary file, then rename). Error: local_io.
support::Result<void> write_file(const std::string& path, const std::string& text);
support::Result<std::string> read_file(const std::string& path);

}  // namespace ratectl::sandbox
