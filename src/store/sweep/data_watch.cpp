// Compares what a server tells of its history; where that changed, its shard's primary is asked, too.
#include "store/sweep/data_watch.h"

#include <utility>

#include "redis/request.h"
#include "store/nodes/freshness.h"
#include "store/nodes/info_text.h"

namespace ratectl::store {
namespace {

auto changed(const domain::Node& node, const std::string& how, std::string hint) {
    return redis::fault({{support::ExitCode::partial, where(node) + ": " + how, std::move(hint)}, false, false});
}

}  // namespace

asio::awaitable<redis::Outcome<void>> DataWatch::ask(redis::Channel& channel, domain::Node node) {
    if (!channel.facts().run_id) co_return redis::Outcome<void>();  // it tells nothing of itself
    redis::Request request;
    request.add({"INFO", "replication"});
    request.add({"INFO", "commandstats"});
    const auto replies = co_await channel.exchange(request, core_->exchange_deadline());
    if (!replies) co_return redis::fault(replies.error());
    if (replies->front().is_text()) hear(replies->front().text);
    for (std::size_t i = 1; i < said_.size(); ++i) {
        auto change = co_await change_to(said_[i]);
        if (change) co_return changed(node, *change, "scan again; `ratectl nodes` shows every server's role and link");
    }
    if (replies->back().is_text() && has_swapped(replies->back().text)) {
        co_return changed(node,
                          "two of its databases changed places in mid-scan (SWAPDB); windows may be missing, and rows "
                          "may be of the other database",
                          "scan again");
    }
    co_return redis::Outcome<void>();
}

// Whether it was ours, or has come back since, is not told. Counts are reset at times.
bool DataWatch::has_swapped(std::string_view info) {
    const auto swaps = InfoText(info).calls_of("swapdb");
    if (!swaps_) swaps_ = swaps;
    return swaps > *swaps_;
}

// Mostly the same as before: then it is not taken apart.
void DataWatch::hear(std::string_view info) {
    if (!said_.empty() && info.find("master_replid:" + said_.back().history.id) != std::string_view::npos) return;
    const InfoText text(info);
    Said now{history_in(text), {}};
    add_info_facts(text, now.facts);
    if (!now.history.id.empty()) said_.push_back(std::move(now));
}

// What a replica that leaves its primary lacks from then on nothing tells: such a sweep is not whole, whatever is
// written there.
// A primary that gets its first replica, or has had none for long, begins a history that goes on from none.
asio::awaitable<std::optional<std::string>> DataWatch::change_to(Said now) {
    using domain::Role;
    const Said first = said_.front();
    const bool goes_on = now.history.has_all_of(first.history);
    if (goes_on && now.facts.role == first.facts.role) co_return std::nullopt;
    const bool was_primary = first.facts.role == Role::primary;
    const bool is_primary = now.facts.role == Role::primary;
    if (was_primary && is_primary && now.history.former_end < 0) co_return std::nullopt;

    if (core_->directory->is_told()) co_await core_->directory->learn(core_, shard_);
    const auto word = co_await ask_primary(core_, shard_);
    const bool is_its_history = word.history && word.history->id == now.history.id;
    // Two servers that both take writes have two data sets, wherever they come from.
    const bool is_apart = is_primary && word.history && !is_its_history && word.facts->role == Role::primary;
    if (is_apart && !was_primary) {
        co_return "it has left its primary in mid-scan, and takes writes of its own; rows that were read until then "
                  "are right, later ones may be of those writes, and windows may be missing";
    }
    // A replica that could not go on from where it was has been sent all of the same data again.
    if (goes_on || (is_its_history && word.history->has_all_of(first.history))) co_return std::nullopt;
    const auto& primary = now.facts.primary_address;
    co_return "its data were replaced in mid-scan by those of another history" +
        (primary ? " (of " + *primary + ")" : "") + "; windows may be missing, and rows may be of other data";
}

}  // namespace ratectl::store
