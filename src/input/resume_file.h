// How far a sweep came, on disk, so that a later one can go on from there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/descriptor.h"

namespace ratectl::input {

inline constexpr std::string_view kResumeSchema = "ratectl.resume.v1";

struct ResumeShard {
    std::string shard;
    std::string node;
    std::string run_id;
    std::string cursor = "0";
    bool complete = false;
    std::uint64_t windows = 0;

    bool operator==(const ResumeShard&) const = default;
};

/// What the primary of a shard of a Redis Cluster said of its slots.
struct ResumeSlots {
    std::string shard;
    std::string id;
    std::string epoch;
    std::string slots;  // `0-5460 5470`

    bool operator==(const ResumeSlots&) const = default;
};

struct ResumeState {
    std::string deployment;
    std::vector<std::pair<std::string, std::string>>
        question;  // what was asked: a flag's name and its value; valid UTF-8
    std::vector<ResumeShard> shards;
    bool complete = false;
    std::vector<ResumeSlots> slots = {};
    std::string moved_slots = {};  // that are to be listed again at the end

    bool operator==(const ResumeState&) const = default;
};

/// The file that is there, locked for as long as the descriptor is open; made, empty, where there is none. Throws
/// support::Failure (local_io) where another process has it; closed where it cannot be had, as writing will say.
support::Descriptor claim_resume_file(const std::string& path);
/// Null when there is no such file, or nothing in it. Throws support::Failure: local_io where it cannot be read, usage
/// where it is something else, or is damaged.
std::optional<ResumeState> read_resume_file(const std::string& path);
/// In place of what was there, or is where symbolic links lead, whole or not at all, on the disk when it returns; mode
/// 0600. Throws support::Failure (local_io). The new file, locked before it is there.
support::Descriptor write_resume_file(const std::string& path, const ResumeState& state);

}  // namespace ratectl::input
