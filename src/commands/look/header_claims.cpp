// headers --verify: reads all claims first, since a ticket is short, then looks at the windows once, at every node.
#include "commands/look/header_claims.h"

#include <algorithm>
#include <memory>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "commands/looks/binding_limit.h"
#include "commands/looks/node_views.h"
#include "commands/looks/placed_keys.h"
#include "commands/outcome.h"
#include "commands/report/fields/header_fields.h"
#include "commands/report/row_writer.h"
#include "config/given.h"
#include "domain/limiter.h"
#include "input/header_claims.h"
#include "support/number_text.h"

namespace ratectl::commands {
namespace {

using support::Failure;

constexpr std::size_t kMostWindows = 100;

std::vector<input::ClaimBlock> read_claims(const std::string& from, Context& context) {
    const auto source = from == "-" ? input::borrow(context.in()) : input::open_file(from, context.patience());
    input::HeaderClaims claims(*source);
    std::vector<input::ClaimBlock> all;
    while (auto block = claims.next()) all.push_back(std::move(*block));
    if (all.empty())
        throw Failure(ExitCode::local_io, fmt::format("{} has no rate-limit headers", source->name()),
                      "paste the response's headers, as `curl -i` prints them");
    return all;
}

std::vector<WindowViews> views_of(const Selection& selection, Outcome& outcome, Context& context) {
    const Filter filter(selection, context.settings(), context.directory());
    if (filter.judges_windows())
        throw Failure(ExitCode::usage, "--verify compares with the windows that are named, whatever they hold",
                      "leave out --state, --min-used and --resets-within; KEY, --client and --policy name windows");
    PlacedKeys keys(selection, filter, context);
    const auto placed = keys.next(kMostWindows);
    if (context.stop()) return {};
    const bool more = !keys.next(1).empty();
    keys.tell_left_out(outcome);
    if (placed.empty() && outcome.code() != ExitCode::done) return {};
    if (placed.empty() || more)
        throw Failure(ExitCode::usage,
                      fmt::format("--verify compares with one client's windows, at most {}", kMostWindows),
                      "name the key, or --client and --policy");
    return view_windows(placed, {context.now(), 1, 5}, context);
}

/// What is stored, whether the window is open or not.
domain::ClaimView claim_view(const domain::NodeView& view, std::string_view name, std::optional<std::int64_t> limit) {
    domain::ClaimView seen{name, std::nullopt, std::nullopt};
    if (!view.look) return seen;
    const auto window = domain::judge(*view.look, domain::kWhenever, limit);
    seen.carried = view.look->limiter->carried_over(*view.look, limit);
    seen.corrupt = window.state == domain::WindowState::corrupt;
    seen.used = seen.corrupt ? domain::integer_of(domain::stored_used(*view.look)) : window.used;
    seen.reset_at = window.reset_at;
    return seen;
}

/// A key that says which window it is, of the future: one request in it would count later, and not now.
bool has_begun(const domain::Limiter& limiter, const std::string& key, support::Moment now) {
    const auto look = limiter.look_at(key, {"1", std::nullopt, {}});
    const auto end = limiter.judge(look, domain::kWhenever, std::nullopt).reset_at;
    return !end || *end < now || limiter.open_until(look, now);
}

/// One window, ready to be compared with.
class ClaimedWindow {
public:
    ClaimedWindow(const WindowViews& window, Context& context) : window_(window) {
        const auto& settings = context.settings();
        const KeyMeaning meaning = meaning_of(window, settings);
        // It is not known what applications call the policy of a flag.
        if (meaning.match && meaning.match->policy->name != config::kKeyPolicy) resource_ = resource_of(meaning);
        is_shared_ = meaning.match && !meaning.match->policy->shared_by.empty();
        const auto& limiter = limiter_of(settings).of(window.key);
        limit_ = meaning.limit;
        if (limit_ && limiter.end_moves() && meaning.limit_source != kStoredLimit)
            limit_ = limiter.most_let_through(*limit_);
        around_.now = context.now();
        around_.key = window.key;
        around_.limiter = &limiter;
        around_.has_begun = has_begun(limiter, window.key, around_.now);
        around_.exempt = meaning.exempt();
        around_.period = period_of(meaning, settings);
        for (const auto& view : window.views) names_.push_back(view.node.name());
        for (std::size_t i = 0; i < window.views.size(); ++i) {
            if (i == window.divergence.reference) {
                around_.truth = claim_view(window.views[i], names_[i], meaning.limit);
            } else if (window.views[i].look) {
                around_.others.push_back(claim_view(window.views[i], names_[i], meaning.limit));
            }
        }
    }
    ClaimedWindow(ClaimedWindow&&) = default;

    std::string_view resource() const { return resource_; }  // empty: unknown
    std::optional<std::int64_t> limit() const { return limit_; }
    bool is_shared() const { return is_shared_; }
    /// A node that acts as primary has answered; what a replica says without one may be stale.
    bool is_known() const {
        return window_.divergence.reference && window_.divergence.standing != domain::Standing::best_replica;
    }
    const std::string& key() const { return window_.key; }
    bool is_absent() const {
        const auto& views = window_.views;
        return std::all_of(views.begin(), views.end(),
                           [](const domain::NodeView& view) { return view.look && domain::is_absent(*view.look); });
    }
    /// What there is to compare with where a response can be about any of these.
    domain::ClaimSurroundings among(const std::vector<const ClaimedWindow*>& all) const {
        auto around = around_;
        for (const auto* one : all) {
            around.exempt = around.exempt && one->around_.exempt;
            add_once(around.resources, one->resource_);
            if (one->limit_) add_once(around.limits, *one->limit_);
        }
        const auto is_nameless = [](const ClaimedWindow* one) { return one->resource_.empty(); };
        const auto is_limitless = [](const ClaimedWindow* one) { return !one->limit_ && !one->around_.exempt; };
        if (std::any_of(all.begin(), all.end(), is_nameless)) around.resources.clear();
        if (std::any_of(all.begin(), all.end(), is_limitless)) around.limits.clear();
        return around;
    }
    ClaimRow row(const input::ClaimBlock& block, const domain::ClaimSurroundings& around) const {
        return {window_.key,        block.line,
                block.claim,        domain::judge_claim(block.claim, around),
                around_.truth.used, around_.truth.reset_at};
    }

private:
    template <class T>
    static void add_once(std::vector<T>& all, const T& one) {
        if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
    }

    const WindowViews& window_;
    std::string_view resource_;
    std::optional<std::int64_t> limit_;
    bool is_shared_ = false;
    std::vector<std::string> names_;  // that views refer to
    domain::ClaimSurroundings around_;
};

using Subjects = std::vector<const ClaimedWindow*>;

/// Those for which it is so, or all where it is so for none.
template <class Is>
void prefer(Subjects& subjects, Is is) {
    if (std::any_of(subjects.begin(), subjects.end(), is))
        std::erase_if(subjects, [&](const ClaimedWindow* one) { return !is(one); });
}

/// The windows of this kind are homes of one key.
bool are_one_key(const Subjects& subjects, bool shared) {
    std::set<std::string_view> keys;
    for (const auto* one : subjects) {
        if (one->is_shared() == shared) keys.insert(one->key());
    }
    return keys.size() < 2;
}

bool are_one_resource(const Subjects& subjects) {
    return std::all_of(subjects.begin(), subjects.end(),
                       [&](const ClaimedWindow* one) { return one->resource() == subjects.front()->resource(); });
}

/// The windows that a response can be about: a client's own or the one that it shares, or where it is not known which
/// shard a key lives on, one a shard that has it. Where it can be about none, those that it would have to be about.
Subjects subjects_of(const input::ClaimBlock& block, const std::vector<ClaimedWindow>& subjects) {
    const domain::HeaderClaim& claim = block.claim;
    Subjects found;
    for (const auto& one : subjects) found.push_back(&one);
    prefer(found, [&](const ClaimedWindow* one) { return claim.resource && one->resource() == *claim.resource; });
    if (domain::foreign_claim(claim, found.front()->among(found))) return found;
    prefer(found, [&](const ClaimedWindow* one) { return claim.limit && one->limit() == claim.limit; });
    if (!are_one_resource(found) || !are_one_key(found, false) || !are_one_key(found, true))
        throw Failure(
            ExitCode::usage,
            fmt::format("the headers at line {} do not say which of several windows they are about", block.line),
            "name the key, or --policy");
    prefer(found, [](const ClaimedWindow* one) { return !one->is_absent(); });
    return found;
}

/// Of several homes the one that makes the headers true, if there is one. Null: the server that decides did not answer.
std::optional<ClaimRow> judge(const input::ClaimBlock& block, const std::vector<ClaimedWindow>& subjects) {
    const Subjects found = subjects_of(block, subjects);
    std::optional<ClaimRow> best;
    for (const ClaimedWindow* subject : found) {
        if (!subject->is_known()) return std::nullopt;
        ClaimRow row = subject->row(block, subject->among(found));
        if (!best || row.judgement.verdict < best->judgement.verdict) best = std::move(row);
    }
    if (!are_one_resource(found)) best->key.clear();
    return best;
}

}  // namespace

ExitCode verify_headers(const Selection& selection, const std::string& from, const ColumnOrder& order,
                        Context& context) {
    if (from == "-" && std::find(selection.keys.begin(), selection.keys.end(), "-") != selection.keys.end())
        throw Failure(ExitCode::usage, "standard input cannot hold both the keys and the headers", "name the key");
    const auto claims = read_claims(from, context);
    Outcome outcome(context);
    const auto windows = views_of(selection, outcome, context);
    if (context.stop()) return stopped(context.stop());
    if (windows.empty()) return outcome.code();
    std::vector<ClaimedWindow> subjects;
    std::set<std::string> failed;
    for (const auto& window : windows) {
        subjects.emplace_back(window, context);
        for (const auto& view : window.views) {
            if (view.look || !failed.insert(view.node.name()).second) continue;
            outcome.fail(view.node, view.look.error());
        }
    }
    RowWriter<ClaimRow> writer(context, claim_fields(), "ratectl.header-claims.v1", {}, true, order);
    std::size_t judged = 0;
    for (const auto& claim : claims) {
        const auto row = judge(claim, subjects);
        if (!row) continue;
        ++judged;
        outcome.answer();
        if (!domain::is_sound(row->judgement.verdict)) outcome.attend();
        writer.write(*row);
    }
    if (judged < claims.size())
        context.messages().warning(fmt::format("{} of {} responses not judged: the server that decides did not answer",
                                               claims.size() - judged, claims.size()));
    outcome.add(writer.end(outcome.footer()));
    return outcome.code();
}

}  // namespace ratectl::commands
