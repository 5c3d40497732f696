// scan --resume: checks that the file is about the same question, and keeps the stream's progress in it.
#include "commands/sweep/scan_resume.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ratectl::commands {
namespace {

using Question = ScanResume::Question;

const std::string* value_of(const Question& question, const std::string& name) {
    const auto found =
        std::find_if(question.begin(), question.end(), [&](const auto& each) { return each.first == name; });
    return found == question.end() ? nullptr : &found->second;
}

std::string as_given(const std::string* value) { return value == nullptr ? "not given" : "'" + *value + "'"; }

}  // namespace

ScanResume::ScanResume(std::string path, Question question, const config::Settings& settings)
    : path_(std::move(path)), file_(input::claim_resume_file(path_)), settings_(settings) {
    if (auto there = input::read_resume_file(path_)) {
        check(*there, question);
        state_ = std::move(*there);
    }
    state_.deployment = settings.deployment;
    state_.question = std::move(question);
}

void ScanResume::check(const input::ResumeState& there, const Question& question) const {
    const auto refuse = [this](const std::string& what) {
        throw support::Failure(ExitCode::usage, "'" + path_ + "' is about another scan: " + what,
                               "ask the same again, or give --resume another file");
    };
    if (there.deployment != settings_.deployment)
        refuse("of deployment '" + there.deployment + "', and this one is '" + settings_.deployment + "'");
    for (const auto& [name, value] : question) {
        const std::string* before = value_of(there.question, name);
        if (before == nullptr || *before != value)
            refuse(fmt::format("{} was {} and is '{}'", name, as_given(before), value));
    }
    for (const auto& [name, value] : there.question) {
        if (value_of(question, name) == nullptr) refuse(fmt::format("{} was '{}' and is not given", name, value));
    }
}

std::vector<store::ScanCursor> ScanResume::cursors() const {
    std::vector<store::ScanCursor> cursors;
    for (const auto& each : state_.shards)
        cursors.push_back({each.shard, each.node, each.run_id, each.cursor, each.complete, each.windows});
    return cursors;
}

void ScanResume::begin(output::Diagnostics& messages) {
    if (finished()) {
        messages.notice("the scan that '" + path_ + "' is about is finished, and nothing is left to do",
                        "remove the file to scan anew");
        return;
    }
    if (goes_on()) {
        std::uint64_t rows = 0;
        for (const auto& each : state_.shards) rows += each.windows;
        const auto whole = std::count_if(state_.shards.begin(), state_.shards.end(),
                                         [](const input::ResumeShard& each) { return each.complete; });
        messages.notice(fmt::format("going on where '{}' says: {} window{} listed before{}", path_, rows,
                                    rows == 1 ? " was" : "s were",
                                    whole == 0   ? ""
                                    : whole == 1 ? ", 1 shard to its end"
                                                 : fmt::format(", {} shards to their end", whole)));
    }
    try {
        file_ = input::write_resume_file(path_, state_);
    } catch (const support::Failure& failure) {
        throw support::Failure(failure.error().code, failure.error().message, "nothing has been read yet");
    }
}

store::SlotRecord ScanResume::slots() const {
    store::SlotRecord slots{{}, state_.moved_slots};
    for (const auto& each : state_.slots) slots.shards.push_back({each.shard, each.id, each.epoch, each.slots});
    return slots;
}

void ScanResume::note(const store::ScanMark& mark) {
    const auto& progress = mark.shards;
    for (const store::ShardProgress& each : progress) {
        if (!each.node) continue;  // no node was found to read: what the file says of that shard stays
        const input::ResumeShard now{each.node->shard, each.node->name(), each.run_id,
                                     each.cursor,      each.complete,     each.windows};
        // Where one node of each shard is read, another one may have taken its place; with --from all each has an
        // entry.
        const bool several = std::count_if(progress.begin(), progress.end(), [&](const store::ShardProgress& other) {
                                 return other.shard == each.shard;
                             }) > 1;
        const auto known = std::find_if(state_.shards.begin(), state_.shards.end(), [&](const input::ResumeShard& one) {
            return one.shard == now.shard && (!several || one.node == now.node);
        });
        if (known == state_.shards.end()) {
            state_.shards.push_back(now);
        } else {
            *known = now;
        }
    }
    if (!mark.slots.shards.empty()) note(mark.slots);
    state_.complete = mark.finished && !progress.empty();
    file_ = input::write_resume_file(path_, state_);
}

// Slots and cursors of a shard are of the same note.
void ScanResume::note(const store::SlotRecord& record) {
    const auto before = std::exchange(state_.slots, {});
    for (const auto& each : record.shards) {
        const auto then = std::ranges::find(before, each.shard, &input::ResumeSlots::shard);
        if (!each.node_id.empty()) {
            state_.slots.push_back({each.shard, each.node_id, each.epoch, each.slots});
        } else if (then != before.end()) {
            state_.slots.push_back(*then);
        }
    }
    std::erase_if(state_.shards, [this](const input::ResumeShard& each) {
        return std::ranges::find(state_.slots, each.shard, &input::ResumeSlots::shard) == state_.slots.end();
    });
    state_.moved_slots = record.moved;
}

}  // namespace ratectl::commands
