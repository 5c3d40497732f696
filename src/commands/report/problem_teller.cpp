// Reports the problems of many keys without a flood; each message names its server, or its key.
#include "commands/report/problem_teller.h"

#include <algorithm>

namespace ratectl::commands {
namespace {

constexpr std::size_t kToldProblems = 20;

}  // namespace

void ProblemTeller::tell(const support::Error& error, std::string_view shard, std::string_view node) {
    const auto is_same = [&](const std::string& told) {
        return told.starts_with(error.message) || error.message.starts_with(told);
    };
    if (std::ranges::any_of(told_, is_same)) return;
    const bool is_full = told_.size() == kToldProblems;
    if (!is_full) told_.push_back(error.message);
    if (!is_full || error.code == ExitCode::unknown) {
        context_.messages().error(error, shard, node);
    } else if (!said_more_) {
        said_more_ = true;
        context_.messages().warning("further problems are only counted; every key has its row");
    }
}

}  // namespace ratectl::commands
