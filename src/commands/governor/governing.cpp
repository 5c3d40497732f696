// One decision after the other about one throttle.
#include "commands/governor/governing.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "commands/report/key_mask.h"
#include "commands/write/operation_writer.h"
#include "domain/governor/decide.h"
#include "domain/limiter.h"
#include "support/quote.h"
#include "support/time_text.h"

namespace ratectl::commands::governor {
namespace {

namespace control = domain::governor;
using control::LeaseAnswer;
using control::LeaseCall;
using domain::Knob;
using support::Failure;

constexpr support::Milliseconds kUsualEvery{15'000};
constexpr support::Milliseconds kLongestEvery{24LL * 3600 * 1000};
/// How long a source may take at least, however soon the breaker has to open.
constexpr support::Milliseconds kLeastAsking{1000};
constexpr support::Milliseconds kMoment{5};
constexpr std::string_view kCommand = "governor";

support::Milliseconds span_of(std::string_view flag, const std::optional<std::string>& text,
                              support::Milliseconds usual) {
    const auto span = text ? support::duration_of(flag, *text) : usual;
    if (span > kLongestEvery) throw Failure(ExitCode::usage, fmt::format("{} takes a day at most", flag), {});
    return span;
}

std::optional<double> rate_in(const domain::Knobs& knobs) {
    const auto rps = domain::limiter_number(knobs.of(Knob::rps).value_or(""));
    if (!rps || !std::isfinite(*rps)) return std::nullopt;
    return *rps < 0 ? -1 : *rps;
}

TuningFlags checked(const TuningFlags& flags) {
    if (!flags.max)
        throw Failure(ExitCode::usage, "how much may it let through at most? no --max was given", "--max 200");
    return flags;
}

output::Word word_of(domain::WriteStatus status) {
    using enum domain::WriteStatus;
    const auto tone = status == applied          ? output::Tone::good
                      : status == window_changed ? output::Tone::warning
                                                 : output::Tone::bad;
    return {domain::name_of(status), tone};
}

}  // namespace

Governing::Governing(const GovernFlags& flags, bool once, Context& context)
    : context_(context),
      once_(once),
      dry_(!flags.apply || context.options().dry_run),
      throttle_(flags.names, context),
      tuning_(tuning_of(checked(flags.tuning))),
      loads_(flags.loads, once, context),
      set_points_(set_points_of(flags.tuning, loads_.size())),
      consent_(flags.consent, context, dry_),
      reason_(flags.consent.reason),
      every_(std::max(support::Milliseconds{100}, span_of("--every", flags.every, kUsualEvery))),
      length_(span_of("--lease", flags.lease, 3 * every_ + support::Milliseconds{15'000})),
      token_(context.new_operation_id()),
      rows_(context, governor_fields(), kGovernorSchema, kGovernedColumns),
      outcome_(context) {
    if (length_ < 2 * every_)
        throw Failure(ExitCode::usage, "the lease would be over before the next but one decision",
                      "--lease takes twice --every at least");
    ask_consent();
    begin();
}

void Governing::ask_consent() {
    if (consent_.is_protected(throttle_.knobs) || consent_.is_protected(throttle_.key))
        throw Failure(
            ExitCode::guard,
            "throttle " + support::quoted(throttle_.name) + " is protected by the configuration; nothing was written",
            "`protect` in its deployment names what may never be changed");
    if (dry_) return;
    WritePlan plan;
    plan.verb = "govern the knobs of";
    plan.keys = 1;
    plan.named_one = true;
    plan.keys_per_shard[context_.directory().name_of(throttle_.shard)] = 1;
    plan.first_keys = {throttle_.knobs};
    consent_.require(plan);
}

LeaseAnswer Governing::call(LeaseCall::Verb verb, std::string memory, store::Store& store) {
    const auto identity = context_.identity();
    return support::value_or_throw(store.lease(
        throttle_.shard, {verb, throttle_.key, token_, identity.actor, identity.host, length_, std::move(memory)}));
}

/// What would refuse the first decision refuses before anything is taken.
void Governing::check_standing() {
    const auto found = call(LeaseCall::Verb::look, {}, context_.store());
    if (!control::decision_in(found.memory) && !look().rps) throw Failure(unknown_rate());
}

/// A dry run looks who governs, and takes nothing from anyone.
void Governing::begin() {
    if (!dry_) check_standing();
    const auto answer = call(dry_ ? LeaseCall::Verb::look : LeaseCall::Verb::take, {}, context_.store());
    if (answer.word == LeaseAnswer::Word::odd) {
        throw Failure(ExitCode::guard,
                      fmt::format("key {}{} holds what no governor writes; nothing was written",
                                  control::kGovernorPrefix, visible_key(throttle_.key, context_.settings())),
                      "look what it is, and remove it if nothing needs it");
    }
    if (answer.word == LeaseAnswer::Word::other && !dry_) refuse(answer, "is governed");
    if (answer.word == LeaseAnswer::Word::other) {
        context_.messages().notice(fmt::format("throttle {} is governed by {} on {}; this dry run only looks",
                                               support::quoted(throttle_.name), answer.actor, answer.host));
    }
    holds_ = !dry_;
    until_ = answer.until;
    const auto last = control::decision_in(answer.memory);
    if (last)
        state_ = last->next;
    else
        context_.messages().notice("nothing is remembered of throttle " + support::quoted(throttle_.name) +
                                   ": its governing begins anew, from what lets requests through now");
}

void Governing::refuse(const LeaseAnswer& other, const std::string& what) const {
    const auto by = other.token.empty() ? "is reserved for" : what + " by";
    throw Failure(ExitCode::guard,
                  fmt::format("throttle {} {} {} on {} since {}, until {} at least; nothing was written",
                              support::quoted(throttle_.name), by, other.actor, other.host,
                              support::format_wall_time(other.since), support::format_wall_time(other.until)),
                  "two never govern one throttle: end that run, or wait until its lease is over");
}

Governing::Seen Governing::look() {
    const store::KeyAt key{throttle_.knobs, store::Place{throttle_.shard}};
    store::LookQuestion question{.keys = std::span(&key, 1), .from = {domain::ReadFrom::Which::primary, {}}};
    question.depth = domain::LookDepth::full;
    const auto answers = context_.store().look(question);
    const auto look = support::value_or_throw(answers.front().look);
    Seen seen;
    seen.limiter = &look.limiter->of(throttle_.knobs);
    if (const auto fault = seen.limiter->corruption(look); !fault.empty())
        throw Failure(ExitCode::guard, "the knobs of throttle " + support::quoted(throttle_.name) + ": " + fault, {});
    seen.knobs = seen.limiter->knobs_in(look);
    seen.state = domain::stored_window(look).state;
    seen.turned = seen.knobs && seen.knobs->of(Knob::rps);
    if (seen.turned)
        seen.rps = rate_in(*seen.knobs);
    else if (throttle_.unturned)
        seen.rps = rate_in(*throttle_.unturned);
    if (seen.turned && !seen.rps)
        throw Failure(ExitCode::guard,
                      "the knobs of throttle " + support::quoted(throttle_.name) +
                          " have no rps that is a number, so its callers fail; nothing was written",
                      "`ratectl knobs set NAME rps=N` puts one there");
    if (const auto fault = domain::fault_in(knobs_at(seen, tuning_.max)); !fault.empty())
        throw Failure(ExitCode::guard,
                      "the knobs of throttle " + support::quoted(throttle_.name) + " would be broken: " + fault +
                          "; nothing was written",
                      "`ratectl knobs set NAME rps=N burst=N window=N` makes them whole");
    return seen;
}

/// Those that count are left as they are, but for the rate; where none do, the others count from now on as well.
domain::Knobs Governing::knobs_at(const Seen& seen, double rps) const {
    auto knobs = seen.turned ? *seen.knobs : throttle_.unturned.value_or(seen.knobs.value_or(domain::Knobs()));
    knobs.of(Knob::rps) = fmt::format("{}", control::rounded(rps));
    if (seen.turned) return knobs;
    if (!knobs.of(Knob::burst)) knobs.of(Knob::burst) = domain::kUsualBurst;
    if (!knobs.of(Knob::window)) knobs.of(Knob::window) = domain::kUsualWindow;
    return knobs;
}

support::Error Governing::unknown_rate() const {
    return {ExitCode::configuration,
            "no knob says which rate throttle " + support::quoted(throttle_.name) +
                " has, and nothing says which one it has without; nothing was written",
            "--limit N and --period D, or `limit` and `period` of its policy, as the application has them; or "
            "`ratectl knobs set NAME rps=N`"};
}

/// Null: nothing says it, while something was decided before: the breaker can still act.
std::optional<control::StandingRate> Governing::standing(const Seen& seen) {
    if (!state_.decided_at && !seen.rps) throw Failure(unknown_rate());
    if (!seen.rps) return std::nullopt;
    if (!state_.decided_at && !seen.turned)
        context_.messages().notice(
            fmt::format("no knob says which rate throttle {} has: it begins from {}, which it has without",
                        support::quoted(throttle_.name), domain::words_of(*throttle_.unturned)));
    return control::StandingRate{*seen.rps, seen.turned};
}

/// Null: no more, or as long as it takes.
std::optional<support::Milliseconds> Governing::still_held() const {
    const auto now = context_.wall_clock();
    const auto end = state_.seen_at ? control::held_until(tuning_, state_) : std::optional{now + tuning_.hold_for};
    if (!end || *end <= now) return std::nullopt;
    return std::min(*end - now + kMoment, tuning_.hold_for);
}

/// What does not answer must not keep the breaker from opening in time.
std::optional<support::Deadline> Governing::ask_until() const {
    const auto held = still_held();
    if (!held) return std::nullopt;
    return std::chrono::steady_clock::now() + std::max(*held, kLeastAsking);
}

support::Milliseconds Governing::rest() const {
    const auto spent = std::chrono::duration_cast<support::Milliseconds>(std::chrono::steady_clock::now() - began_);
    const auto rest = std::clamp(every_ - spent, support::Milliseconds{0}, every_);
    return is_blind() ? std::min(rest, still_held().value_or(rest)) : rest;
}

void Governing::decide() {
    began_ = std::chrono::steady_clock::now();
    const auto readings = loads_.read(set_points_, tuning_.stale_after, ask_until());
    if (context_.stop()) return;
    row_ = {};
    op_.clear();
    why_not_ = loads_.missing();
    const auto now = context_.wall_clock();
    row_.at = now;
    row_.throttle = throttle_.name;
    row_.deployment = context_.settings().deployment;
    row_.shard = context_.directory().name_of(throttle_.shard);
    row_.sample = control::worst_of(readings, tuning_, now);
    if (row_.sample) row_.measured_at = row_.sample->at;
    if (readings.size() == 1 && readings.front().load) {
        row_.measured_at = readings.front().at;
        if (row_.sample) row_.load = readings.front().load;
    }
    const auto seen = look();
    row_.before = seen.rps;
    const auto stands = standing(seen);
    row_.decision = control::decide(tuning_, state_, stands, row_.sample, now);
    if (row_.decision.turned) say_turned(seen);
    if (!dry_) keep(row_.decision);
    state_ = row_.decision.next;
    if (dry_ && seen.rps && control::rounded(row_.decision.rps) != control::rounded(*seen.rps)) leave(*seen.rps);
    if (!stands && row_.sample && row_.decision.why == control::Why::held) {
        if (once_ || decisions_ == 0) throw Failure(unknown_rate());
        return miss(unknown_rate());
    }
    ++decisions_;
    finish(seen);
}

void Governing::finish(const Seen& seen) {
    using control::Why;
    const auto why = row_.decision.why;
    const bool is_left = why == Why::stopped || why == Why::unlimited || why == Why::held;
    const double rps = control::rounded(row_.decision.rps);
    if (is_left || (seen.rps && *seen.rps >= 0 && control::rounded(*seen.rps) == rps)) {
        row_.status = {"unchanged", output::Tone::dim};
    } else if (dry_) {
        row_.status = {"planned"};
    } else {
        write(seen, rps);
    }
    row_.reason = why_not_;
    row_.op = op_;
    outcome_.answer();
    // A name is that of a throttle whose rate was changed.
    const bool is_shown =
        context_.options().output != "name" || row_.status.text == domain::name_of(domain::WriteStatus::applied);
    if (is_shown && !wants_no_rows(context_.options())) rows_.write(row_);
    rows_.flush();
}

/// A dry run's decision stands nowhere: the next one begins from what does, without a bump.
void Governing::leave(double rps) {
    state_.rps = rps;
    state_.integral = std::numeric_limits<double>::quiet_NaN();
}

/// Before the decision that was taken of it becomes the last one.
void Governing::say_turned(const Seen& seen) {
    const auto decided = state_.rps < 0 ? std::string("the last decision left it unlimited")
                                        : fmt::format("the last decision left rps {}", control::rounded(state_.rps));
    if (seen.turned)
        return context_.messages().notice(
            fmt::format("another writer has changed the knobs of throttle {}: {} stands, and {}",
                        support::quoted(throttle_.name), domain::words_of(*seen.knobs), decided));
    context_.messages().notice(fmt::format(
        "no knob says a rate of throttle {} any more: {} is what it has without, and {}; it goes on from there",
        support::quoted(throttle_.name), domain::words_of(*throttle_.unturned), decided));
}

/// Remembered before it is written: what stands tells the next run whether it was.
void Governing::keep(const control::Decision& decision) {
    const auto memory = control::text_of(decision);
    auto answer = call(LeaseCall::Verb::keep, memory, context_.store());
    if (answer.word == LeaseAnswer::Word::free) {
        context_.messages().notice(
            "the lease was gone, as where another run had it in between, or the server was restarted without its data");
        answer = call(LeaseCall::Verb::take, memory, context_.store());
    }
    if (answer.word != LeaseAnswer::Word::held) {
        holds_ = false;
        refuse(answer, "is governed by another run now, taken");
    }
    until_ = answer.until;
}

void Governing::write(const Seen& seen, double rps) {
    const auto knobs = knobs_at(seen, rps);
    Orders orders;
    orders.head = start_operation(context_, domain::WriteKind::put, kCommand, {}, reason_);
    op_ = orders.id();
    OperationWriter writer(std::move(orders), "knobs " + domain::words_of(knobs), context_);
    const PlannedKey planned{throttle_.knobs, throttle_.shard, {}, {}};
    const std::uint64_t row = 1;
    auto order = writer.order(std::span(&planned, 1), std::span(&row, 1));
    order.not_after = until_;
    const domain::PutItem item{
        {throttle_.knobs, store::Place{throttle_.shard}}, seen.limiter->state_with(knobs), seen.state};
    const auto results = context_.store().put(std::span(&item, 1), order);
    take(results.front());
    if (writer.record_failure()) throw Failure(*writer.record_failure());
}

void Governing::take(const store::WriteResult& result) {
    row_.status = word_of(result.status);
    if (result.status == domain::WriteStatus::applied) {
        ++writes_;
        return;
    }
    why_not_ = result.reason;
    if (result.status == domain::WriteStatus::not_attempted) return;
    ++failures_;
    const auto error = result.error.value_or(
        support::Error{ExitCode::guard,
                       "the knobs of throttle " + support::quoted(throttle_.name) + " were not written: " + why_not_,
                       {}});
    if (!once_ && result.status == domain::WriteStatus::window_changed)
        return context_.messages().warning(error.message, "the next decision begins with what stands");
    context_.messages().error(error, row_.shard);
    outcome_.fail(error.code);
}

void Governing::miss(const support::Error& error) {
    if (context_.stop()) return;
    ++failures_;
    outcome_.leave_undone();
    context_.messages().warning("nothing was decided: " + error.message, error.hint);
}

void Governing::give_up() {
    auto stands = row_.status.text == "unchanged" || row_.status.text == "planned" ? row_.before : std::nullopt;
    if (row_.status.text == domain::name_of(domain::WriteStatus::applied)) stands = row_.decision.rps;
    auto words = stands ? rate_words(*stands) : std::string("what it lets through stays as it is");
    if (!dry_ && state_.open) words += ", and the breaker stays open";
    outcome_.cannot_tell({ExitCode::local_io,
                          fmt::format("standard input, the only input, has ended: nothing more is decided about "
                                      "throttle {}; {}",
                                      support::quoted(throttle_.name), words),
                          "the same command goes on from the last decision, once there is an input again; "
                          "`ratectl knobs set NAME rps=N` sets a rate until then"});
}

void Governing::give_back() {
    if (!holds_) return;
    holds_ = false;
    try {
        const auto store = context_.lasting_store_of(context_.settings());
        call(once_ ? LeaseCall::Verb::reserve : LeaseCall::Verb::free, {}, *store);
    } catch (const Failure& failure) {
        context_.messages().warning("the lease was not given back, and is over in " +
                                        support::format_duration(length_) + ": " + failure.error().message,
                                    {});
    }
}

ExitCode Governing::end() {
    give_back();
    outcome_.add(rows_.end(outcome_.footer(!context_.stop())));
    auto words = fmt::format("{} decision{}, {} written", decisions_, decisions_ == 1 ? "" : "s", writes_);
    if (failures_ > 0) words += fmt::format(", {} not", failures_);
    if (dry_)
        words += context_.options().dry_run ? "; a dry run: -n wins, and --apply without it writes"
                                            : "; a dry run: --apply writes";
    context_.messages().summary(words, {{"decisions", decisions_}, {"written", writes_}, {"not_written", failures_}});
    if (context_.stop()) outcome_.add(stopped(context_.stop()));
    return outcome_.code();
}

}  // namespace ratectl::commands::governor
