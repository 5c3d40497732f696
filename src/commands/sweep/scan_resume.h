// scan --resume FILE: where an earlier scan of the same question stopped, and the file that says so.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "commands/context.h"
#include "input/resume_file.h"
#include "store/store.h"

namespace ratectl::commands {

class ScanResume {
public:
    using Question = std::vector<std::pair<std::string, std::string>>;

    /// Reads the file if there is one. Throws Failure (usage) where it is about another deployment or another question,
    /// naming what differs; local_io where another scan goes on with it.
    ScanResume(std::string path, Question question, const config::Settings& settings);

    /// All of it has been scanned.
    bool finished() const { return state_.complete; }
    std::vector<store::ScanCursor> cursors() const;
    store::SlotRecord slots() const;
    /// An earlier scan has come somewhere, and its rows are printed.
    bool goes_on() const { return !state_.shards.empty(); }
    /// Says what is taken up, if anything is, and that the file can be written. Throws Failure (local_io).
    void begin(output::Diagnostics& messages);
    /// Writes the file. The rows of what is noted have been flushed.
    void note(const store::ScanMark& mark);

private:
    void note(const store::SlotRecord& record);
    void check(const input::ResumeState& there, const Question& question) const;

    std::string path_;
    support::Descriptor file_;  // locked: no other scan goes on with it
    const config::Settings& settings_;
    input::ResumeState state_;
};

}  // namespace ratectl::commands
