// Heads, intents and outcomes for the journal's tests, and a folder for its file.
#pragma once

#include <string>
#include <vector>

#include "journal/journal.h"
#include "sandbox/folder.h"

namespace ratectl::test {

using journal::Entry;
using journal::Intent;
using journal::Journal;
using journal::OperationHead;
using journal::Outcome;
using journal::Question;

inline support::WallTime at_ms(std::int64_t ms) { return support::WallTime{support::Milliseconds{ms}}; }

inline OperationHead reset_head(const std::string& id, std::int64_t started_ms = 1000) {
    return {{id, "alice", "desk", "ticket 7"}, domain::WriteKind::reset, "reset", "prod", at_ms(started_ms), {}, true};
}

inline Intent intent(std::uint64_t row, const std::string& key) {
    const auto call = (row - 1) / 100 + 1;
    return {row, call,         "alpha",      "10.0.0.1:6379", "run-a",
            key, "window:exp", std::nullopt, at_ms(1500),     "call " + std::to_string(call)};
}

inline Outcome outcome(std::uint64_t row, domain::WriteStatus status, const std::string& reason = {}) {
    Outcome made;
    made.row = row;
    made.status = status;
    made.reason = reason;
    made.at = at_ms(2000);
    return made;
}

inline Outcome removed(std::uint64_t row, const std::string& used, const std::string& reset_at) {
    Outcome made = outcome(row, domain::WriteStatus::applied);
    made.before = {used, reset_at, 123'456, std::nullopt};
    return made;
}

inline std::vector<Entry> all(Journal& journal, const Question& question = {}) {
    std::vector<Entry> found;
    journal.entries(question, [&found](const Entry& entry) {
        found.push_back(entry);
        return true;
    });
    return found;
}

struct JournalFolder {
    sandbox::TemporaryFolder folder = support::value_or_throw(sandbox::TemporaryFolder::make("/tmp", "ratectl-test"));
    std::string file() const { return folder.path() + "/journal.db"; }
};

}  // namespace ratectl::test
