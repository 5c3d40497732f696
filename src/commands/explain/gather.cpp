// Gathers the facts of a chunk of keys; what may not be named is hidden before any sentence is made of it.
#include "commands/explain/gather.h"

#include <algorithm>
#include <functional>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "commands/context.h"
#include "commands/looks/meant_instead.h"
#include "commands/report/key_mask.h"
#include "commands/report/pasted_flags.h"
#include "commands/report/wording.h"
#include "commands/sweep/duplicates.h"
#include "domain/cluster/slot_faults.h"
#include "domain/diagnosis/look_difference.h"
#include "domain/key_template.h"
#include "output/printable.h"
#include "store/directory.h"
#include "support/number_text.h"
#include "support/quote.h"

namespace ratectl::commands::explain {
namespace {

using domain::FindingClass;
using domain::NodeView;

/// The key as a pattern that a shell hands on; patterns are not decoded as keys are.
std::string pattern_of(const std::string& key) {
    const auto pattern = domain::escape_glob(key);
    return pattern == key || !output::is_plain(key) ? as_argument(pattern) : support::shell_quoted(pattern);
}

/// Changes that old say nothing of a window of today.
constexpr support::Seconds kLately{24 * 60 * 60};
constexpr std::size_t kMostChanges = 3;

/// `replica 10.0.0.1:6379`, in the role that it said it has; of one that did not answer the configured one.
std::string named_as_it_said(const NodeView& view) {
    const auto role = view.facts ? view.facts->role : std::optional{view.node.role};
    return role ? fmt::format("{} {}", domain::name_of(*role), view.node.name())
                : fmt::format("server {} (role unknown)", view.node.name());
}

std::string_view what_of(const journal::OperationHead& head) {
    return head.command == "undo" ? "undo" : domain::name_of(head.kind);
}

bool may_have_written(const journal::Entry& entry) {
    using enum domain::WriteStatus;
    if (!entry.outcome) return true;
    const auto status = entry.outcome->status;
    return status == applied || status == already_applied || status == unknown;
}

/// Without its steps.
ChangeFacts change_of(const journal::Entry& entry, bool redacted) {
    const auto& operation = entry.head.operation;
    ChangeFacts change;
    change.what = what_of(entry.head);
    change.command = entry.head.command;
    if (!redacted) change.who = fmt::format("{} on {}", operation.actor, operation.host);
    change.operation = operation.id;
    change.at = entry.intent.at;
    return change;
}

void add_earlier_step(ChangeFacts& change, const journal::Entry& entry) {
    const bool is_known = entry.outcome && entry.outcome->status != domain::WriteStatus::unknown;
    const bool is_first_known = change.steps == change.unknown;
    ++change.steps;
    if (!is_known) {
        ++change.unknown;
        return;
    }
    change.before = entry.outcome->before;
    if (is_first_known) change.after = entry.outcome->after;
}

/// Deployments may share a name, as all that -u names do, and shards of a name may be other servers by now; of a Redis
/// Cluster's nodes any may have had the key's slot.
bool is_about(const journal::Intent& intent, std::span<const WindowViews> homes, const store::Directory& directory) {
    for (std::size_t i = 0; directory.has_slots() && i < directory.places().size(); ++i)
        if (std::ranges::find(directory.nodes(i), intent.node, &domain::Node::name) != directory.nodes(i).end())
            return true;
    return std::any_of(homes.begin(), homes.end(), [&](const WindowViews& home) {
        return std::any_of(home.views.begin(), home.views.end(), [&](const NodeView& view) {
            if (view.node.shard != intent.shard) return false;
            const bool same_process =
                !intent.run_id.empty() && view.facts && view.facts->run_id && *view.facts->run_id == intent.run_id;
            return same_process || view.node.name() == intent.node;
        });
    });
}

/// No limit is known, and none is missing: as if there were no end of it.
domain::Ruling of_exempt(const WindowFacts& facts, support::Moment now) {
    domain::Window window = facts.window;
    if (domain::is_use_unknown(window)) return {domain::Verdict::allowed, domain::VerdictReason::exempt};
    window.limit = INT64_MAX;
    const domain::Ruling ruling = domain::rule_on(window, now);
    if (ruling.reason != domain::VerdictReason::below_limit) return ruling;
    return {ruling.verdict, domain::VerdictReason::exempt};
}

/// No node that counts has said whether the key is there: a replica alone may have lost it.
bool may_have_it(const WindowViews& shown) {
    const auto* look = counting_look(shown);
    return look == nullptr || (domain::is_absent(*look) && shown.divergence.standing == domain::Standing::best_replica);
}

}  // namespace

Explainer::Explainer(const Redaction& redaction, Context& context)
    : redaction_(redaction), context_(context), settings_(context.settings()) {
    try {
        journal_ = context.existing_journal();
    } catch (const support::Failure& failure) {
        journal_fault_ = failure.error();
    }
}

std::vector<WindowFacts> Explainer::explain(std::span<const store::KeyAt> keys, const Accept& accepts) {
    now_ = context_.now();
    ViewQuestion question;
    question.now = now_;
    const auto shown = view_windows(keys, question, context_);
    if (context_.stop()) return {};  // nodes that had not answered were not waited for
    if (!context_.directory().knows_homes()) return each_home(shown, accepts);
    const auto strays = look_on_other_shards(keys, context_);
    const auto stranded = stranded_of(keys);
    std::vector<WindowFacts> facts;
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const auto meaning = meaning_of(shown[i], settings_);
        const auto* look = counting_look(shown[i]);
        if (look != nullptr && !accepts(shown[i], domain::judge(*look, now_, meaning.limit), now_)) continue;
        std::vector<StrayWindow> of_key;
        std::copy_if(strays.begin(), strays.end(), std::back_inserter(of_key),
                     [i](const StrayWindow& stray) { return stray.key == i; });
        facts.push_back(facts_of(shown[i], meaning, of_key));
        if (facts.back().part.empty()) add_stranded(facts.back(), shown[i].key, stranded);
    }
    return facts;
}

/// Where it is not known which shard a key belongs to, every one that has it is a window of its own; where none has it,
/// one that did not answer may.
std::vector<WindowFacts> Explainer::each_home(std::span<const WindowViews> shown, const Accept& accepts) {
    std::vector<WindowFacts> facts;
    for (auto begin = shown.begin(); begin != shown.end();) {
        const auto end =
            std::find_if(begin, shown.end(), [&](const WindowViews& one) { return one.key != begin->key; });
        std::vector<const WindowViews*> homes;
        std::vector<const WindowViews*> silent;
        std::vector<Copy> copies;
        std::vector<std::string> names;
        names.reserve(static_cast<std::size_t>(end - begin));
        for (auto one = begin; one != end; ++one) {
            note_silent(*one);
            if (may_have_it(*one)) silent.push_back(&*one);
            const auto* look = counting_look(*one);
            if (look == nullptr || domain::is_absent(*look)) continue;
            homes.push_back(&*one);
            copies.push_back({names.emplace_back(redaction_.shard(one->shard)), look, now_});
        }
        if (homes.empty()) homes = std::exchange(silent, {});
        const bool nowhere = homes.empty();
        if (nowhere) homes.push_back(&*begin);
        for (const auto* home : homes) {
            const auto meaning = meaning_of(*home, settings_);
            const auto* look = counting_look(*home);
            if (look != nullptr && !accepts(*home, domain::judge(*look, now_, meaning.limit), now_)) continue;
            auto& made = facts.emplace_back(facts_of(*home, meaning, {}));
            for (const auto* one : silent) made.silent_shards.push_back(redaction_.shard(one->shard));
            if (copies.size() > 1) made.findings.push_back({FindingClass::duplicate, describe_copies(copies)});
            if (!nowhere) continue;
            made.shard.clear();
            made.servers.clear();
            for (auto& answer : made.answers) answer.from.clear();
            made.changes.clear();
            add_changes(made, {begin, end});
        }
        begin = end;
    }
    return facts;
}

WindowFacts Explainer::facts_of(const WindowViews& shown, const KeyMeaning& meaning,
                                std::span<const StrayWindow> strays) {
    WindowFacts facts;
    facts.now = now_;
    add_names(facts, shown, meaning);
    std::optional<WindowViews> without_names;
    if (facts.key != shown.key) {
        without_names = shown;
        without_names->views = hidden(shown.views, facts.key, redaction_);
        without_names->divergence =
            domain::compare_views(without_names->views, {now_, meaning.limit, 1, !settings_.now.has_value()});
    }
    note_silent(shown);
    add_servers(facts, shown, (without_names ? *without_names : shown).divergence);
    const auto& reference = shown.divergence.reference;
    if (reference) add_window(facts, shown.views[*reference], meaning);
    if (reference) note_part(facts, shown.key);
    const auto decided = reference ? std::optional{domain::rule_on(facts.window, now_)} : std::nullopt;
    facts.ruling = domain::rule_on_all(decided, shown.divergence);
    if (meaning.exempt() && facts.ruling.verdict == domain::Verdict::limit_unknown)
        facts.ruling = of_exempt(facts, now_);
    if (facts.part.empty()) add_strays(facts, strays);
    add_changes(facts, {&shown, 1});
    return facts;
}

void Explainer::add_names(WindowFacts& facts, const WindowViews& shown, const KeyMeaning& meaning) const {
    facts.key = redaction_.key(shown.key, meaning.match);
    const bool shows_key = facts.key == shown.key;
    facts.argument = shows_key ? as_argument(shown.key) : "KEY";
    facts.pattern = shows_key ? pattern_of(shown.key) : "KEY";
    facts.window.limit = meaning.limit;
    facts.limit_source = redaction_.limit_source(meaning.limit_source);
    facts.period = period_of(meaning, settings_);
    facts.missing_terms = missing_terms(meaning, shown.key, settings_);
    if (meaning.match) {
        facts.policy = meaning.match->policy->name;
        facts.client = redaction_.client(*meaning.match);
        facts.client_class = meaning.match->client_class;
    }
    facts.deployment = redaction_.deployment();
    auto options = context_.options();
    facts.deployment_flags = flags_of_deployment(options, settings_, redaction_.on());
    options.overrides.sharding.reset();  // --all-shards says that there is no such rule
    options.overrides.all_shards = false;
    facts.all_shards_flags = flags_of_deployment(options, settings_, redaction_.on());
    facts.shard = redaction_.shard(shown.shard);
}

void Explainer::add_servers(WindowFacts& facts, const WindowViews& shown, const domain::Divergence& divergence) {
    const auto nodes = nodes_of(shown.views);
    facts.ownerless =
        std::ranges::any_of(shown.views, [](const NodeView& view) { return domain::is_ownerless(view.look); });
    if (facts.ownerless) return facts.shard.clear();
    facts.standing = divergence.standing;
    facts.differ = divergence.differ;
    for (std::size_t i = 0; i < shown.views.size(); ++i) {
        const auto& view = shown.views[i];
        const auto& difference = divergence.views[i];
        auto& server = facts.servers.emplace_back();
        server.name = redaction_.on() ? redaction_.node(view.node, nodes) : named_as_it_said(view);
        server.address = redaction_.address(view.node, nodes);
        server.shard = redaction_.shard(view.node.shard);
        server.answered = view.look.has_value();
        if (domain::is_bad_key(view.look)) facts.bad_key = redaction_.error(view.look.error()).message;
        if (!view.look && (view.facts || view.look.error().code != ExitCode::unavailable))
            server.refusal = redaction_.error(view.look.error()).message;
        server.decides = divergence.reference == i;
        server.cause = difference.cause;
        server.differs = difference.differs.value_or(false);
        server.detail = difference.detail;
        if (view.facts) server.clock_skew = view.facts->clock_skew;
    }
    for (const auto& answer : divergence.answers)
        facts.answers.push_back({domain::rule_on(answer), answer.words(), answer.from, answer.through_lua_only,
                                 answer.by_their_clock_only});
}

void Explainer::add_window(WindowFacts& facts, const NodeView& view, const KeyMeaning& meaning) const {
    const auto& look = *view.look;
    facts.window = domain::judge(look, now_, meaning.limit);
    facts.limit = meaning.limit;
    facts.carried = look.limiter->carried_over(look, meaning.limit);
    facts.end_moves = look.limiter->of(look.key).end_moves();
    facts.is_pair = std::ranges::count(look.limiter->of(look.key).parts(), false, &domain::Limiter::Part::kept) == 2;
    facts.limits_rate = look.limiter->of(look.key).limits_rate();
    facts.remark = look.limiter->remark(look, now_);
    if (look.limiter->knobs_in(look))
        facts.throttle = facts.key == look.key && meaning.match ? as_argument(meaning.match->client) : "NAME";
    facts.begins_below = look.limiter->lowest_used();
    facts.layout = look.limiter->layout();
    facts.read_at = view.read_at;
    facts.stored_used = domain::shown_used(look, facts.window);
    if (redaction_.on() && !support::parse_decimal(facts.stored_used.value_or(""))) facts.stored_used.reset();
    if (const auto& reset = domain::stored_reset(look); !redaction_.on() || domain::integer_of(reset))
        facts.stored_reset_at = reset.value;
    const auto stored_end = support::parse_decimal(domain::stored_window(look).reset_at.value_or(""));
    if (stored_end && *stored_end < support::epoch_seconds(now_)) facts.ended_at = support::from_epoch(*stored_end);

    domain::Circumstances around;
    around.now = now_;
    around.server_now = view.read_at + (view.facts ? view.facts->clock_skew.value_or(support::Milliseconds{0})
                                                   : support::Milliseconds{0});
    around.period = facts.period;
    facts.findings = domain::diagnose(look, around);
    if (facts.key == look.key) return;
    for (auto& finding : facts.findings) {  // these two quote what is stored
        if (finding.what == FindingClass::corrupt || finding.what == FindingClass::suffix_clash)
            finding.detail = domain::kind_of(finding.what).wrong;
    }
}

void Explainer::note_part(WindowFacts& facts, const std::string& key) const {
    const auto& limiter = limiter_of(settings_);
    const auto part = part_alone(key, facts.window.state, limiter);
    if (!part) return;
    const auto whole = part->key();
    facts.part = limiter.of(whole).parts()[part->part].name;
    facts.whole = redaction_.key(whole, settings_.policies.match(whole));
    facts.whole_argument = facts.whole == whole ? as_argument(whole) : "KEY";
    facts.findings.clear();
}

void Explainer::add_strays(WindowFacts& facts, std::span<const StrayWindow> strays) const {
    for (const auto& stray : strays) {
        auto look = stray.look;
        if (facts.key != look.key) hide_words(look, facts.key);
        facts.findings.push_back(
            {FindingClass::misplaced,
             fmt::format("shard '{}' has {}; the application looks on '{}'", redaction_.shard(stray.node.shard),
                         domain::words_of(look, now_), facts.shard)});
    }
}

void Explainer::add_changes(WindowFacts& facts, std::span<const WindowViews> homes) {
    if (journal_ == nullptr || journal_fault_) return;
    // What was recorded before its policy became secret has the key as it is.
    const std::set<std::string> names{recorded_key(homes.front().key, settings_), homes.front().key};
    try {
        for (const auto& name : names) add_changes_of(name, facts, homes);
    } catch (const support::Failure& failure) {
        journal_fault_ = failure.error();
    }
    if (names.size() > 1) std::ranges::stable_sort(facts.changes, std::ranges::greater{}, &ChangeFacts::at);
    if (facts.changes.size() > kMostChanges) facts.changes.resize(kMostChanges);
}

void Explainer::add_changes_of(const std::string& name, WindowFacts& facts, std::span<const WindowViews> homes) {
    journal::Question question;
    question.key = name;
    question.deployment = settings_.deployment;
    question.since = context_.wall_clock() - std::max(kLately, facts.period.value_or(support::Seconds{0}));
    question.newest_first = true;
    const std::size_t first = facts.changes.size();
    journal_->entries(question, [&](const journal::Entry& entry) {
        if (!may_have_written(entry) || !is_about(entry.intent, homes, context_.directory())) return true;
        // Two operations may take turns, as those of a replay that gives requests back.
        const auto of_this_name = std::span(facts.changes).subspan(first);
        const auto begun = std::ranges::find(of_this_name, entry.head.operation.id, &ChangeFacts::operation);
        if (begun != of_this_name.end()) {
            add_earlier_step(*begun, entry);
            return true;
        }
        if (of_this_name.size() == kMostChanges) return false;
        add_earlier_step(facts.changes.emplace_back(change_of(entry, redaction_.on())), entry);
        return true;
    });
}

void Explainer::note_silent(const WindowViews& shown) {
    const auto nodes = nodes_of(shown.views);
    for (const auto& view : shown.views) {
        any_answer_ = any_answer_ || view.look;
        if (!view.look) note_silent(view.node, nodes, view.look.error());
    }
}

void Explainer::note_silent(const domain::Node& node, std::span<const domain::Node> beside, const support::Error& why) {
    const bool blamed = !domain::blames_no_node(why);
    const auto shard = blamed ? redaction_.shard(node.shard) : std::string();
    const auto address = blamed ? redaction_.address(node, beside) : std::string();
    auto error = redaction_.error(why);
    const auto is_this = [&](const auto& one) {
        return one.shard == shard && one.address == address && (blamed || one.error == error);
    };
    if (std::ranges::any_of(silent_, is_this)) return;
    if (redaction_.on() && blamed) error.message = fmt::format("shard '{}', {}: {}", shard, address, error.message);
    silent_.push_back({shard, address, std::move(error)});
}

}  // namespace ratectl::commands::explain
