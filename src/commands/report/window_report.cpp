// Reports windows: the path of every look to its row; sweeps take it a million times.
#include "commands/report/window_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "commands/request/write_amount.h"
#include "domain/verdict.h"
#include "output/cell.h"
#include "support/number_text.h"
#include "support/quote.h"

namespace ratectl::commands {
namespace {

constexpr std::string_view kWindowsSchema = "ratectl.windows.v1";

std::optional<std::uint64_t> windows_of(const std::optional<std::string>& text, std::string_view flag) {
    return text ? std::optional{count_of(flag, *text, "windows")} : std::nullopt;
}

std::optional<output::Field<WindowRow>> order_of(const ReportOptions& options) {
    if (!options.sort && !options.top) return std::nullopt;
    return order_field(window_fields(), options.sort.value_or("used"));
}

/// As many as will be shown, if that is not too many for memory.
std::unique_ptr<KeptRows> kept_rows(Context& context, bool descending, std::optional<std::uint64_t> top,
                                    std::optional<std::uint64_t> first) {
    constexpr std::uint64_t most_in_memory = 100'000;  // in no more memory than sorting all of them takes
    const std::uint64_t shown = std::min(top.value_or(UINT64_MAX), first.value_or(UINT64_MAX));
    if (shown <= most_in_memory) return keep_first_rows({descending}, shown);
    return keep_all_rows({descending}, context.temporary_folder());
}

struct CountRow {
    std::int64_t windows = 0;
};
const output::Field<CountRow> kCountFields[] = {
    {{"windows", output::CellType::integer, "WINDOWS", "how many windows the selection has"},
     [](const CountRow& row) -> output::Cell { return row.windows; }},
};

/// Nothing of types and expiries, as a light look at windows that keep their end in a key of its own.
bool shows_values_alone(const domain::WindowLook& look) {
    return look.depth == domain::LookDepth::light && std::ranges::none_of(look.parts, [](const auto& part) {
               return part.type || part.ttl_ms || part.expires_at_ms;
           });
}

}  // namespace

void bind_order(Syntax syntax, ReportOptions& options) {
    syntax.add_option("--sort", options.sort, "order rows by this column").type_name("COLUMN");
    syntax.add_flag("--reverse", options.reverse, "the other way round");
    syntax.add_flag("--exit-status", options.exit_status,
                    "say by the exit code what was found: 1 when there is something to look at");
}

WindowReport::WindowReport(Context& context, const Filter& filter, const ReportOptions& options, Attention attention,
                           std::string_view narrow)
    : context_(context),
      settings_(context.settings()),
      filter_(filter),
      attention_kind_(attention),
      exit_status_(options.exit_status),
      count_(options.count),
      whole_pages_(options.whole_pages),
      descending_(options.top.has_value() != options.reverse),
      top_(windows_of(options.top, "--top")),
      first_(windows_of(options.first, "--first")),
      order_(order_of(options)),
      receiver_(options.receiver),
      outcome_(context) {
    if (options.reverse && !order_)
        throw support::Failure(ExitCode::usage, "--reverse needs an order to reverse", "name one with --sort");
    if (count_) return;
    if (order_) kept_ = kept_rows(context, descending_, top_, first_);
    if (receiver_ != nullptr) return;
    by_used_ = order_ && order_->column.name == "used" && descending_;
    rows_.emplace(context, window_fields(), kWindowsSchema, narrow, !options.continues);
    const auto format = rows_->options().format;
    human_ = format == output::Format::table || format == output::Format::wide;
}

std::uint32_t WindowReport::place_of(const domain::Node* node) {
    if (node == nullptr) return kNowhere;
    for (std::uint32_t i = 0; i < places_.size(); ++i) {
        const domain::Node& known = places_[i].node;
        if (known.role == node->role && known.shard == node->shard && known.endpoint.same_server(node->endpoint))
            return i;
    }
    const bool is_file = node->endpoint.kind == domain::Endpoint::Kind::file;
    places_.push_back({*node, node->name(), node->shard + " (stale)",
                       is_file ? std::nullopt : std::optional<domain::Role>{node->role}});
    return static_cast<std::uint32_t>(places_.size() - 1);
}

void WindowReport::come_from(const domain::Node* node, support::WallTime read_at, bool stale) {
    origin_ = {place_of(node), read_at, stale};
    now_ = settings_.clock_at(read_at);
}

WindowRow WindowReport::make_row(const domain::WindowLook& look, const domain::Window& window,
                                 const KeyMeaning& meaning) const {
    WindowRow row{look, window,       meaning, settings_.deployment, {},
                  {},   std::nullopt, now_,    origin_.read_at,      origin_.stale};
    if (const auto known = binding_.find(look.key); known != binding_.end()) row.binding = known->second;
    if (origin_.place == kNowhere) return row;
    const Place& place = places_[origin_.place];
    row.shard = origin_.stale && human_ ? place.stale_shard : place.node.shard;
    row.node = place.address;
    row.role = place.role;
    return row;
}

void WindowReport::take(const domain::WindowLook& look, const KeyMeaning& meaning) {
    if (!counts_apart_) ++taken_;
    const domain::Window window = domain::judge(look, now_, meaning.limit);
    if (!filter_.accepts(look.key, window, now_)) return;
    note_attention(look, window);
    if (receiver_ != nullptr) {
        ++shown_;
        const WindowRow row = make_row(look, window, meaning);
        receiver_->take(row);
        if (kept_) keep(row);
    } else if (count_) {
        ++shown_;
    } else if (kept_) {
        keep(make_row(look, window, meaning));
    } else if (whole_pages_ || !satisfied()) {
        ++shown_;
        write(make_row(look, window, meaning));
    }
}

void WindowReport::write(const WindowRow& row) {
    if (receiver_ != nullptr) return receiver_->take_kept(row);
    const auto& match = row.meaning.match;
    const Written now{origin_,
                      row.look.depth,
                      match ? match->policy : nullptr,
                      match ? match->client_class.data() : nullptr,
                      row.meaning.limit_source.data(),
                      row.meaning.limit,
                      row.window.state,
                      row.window.exhausted,
                      row.window.reset_at,
                      row.now,
                      shows_values_alone(row.look) && row.window.state != domain::WindowState::corrupt && !row.binding,
                      !match && !row.window.limit,
                      row.look.limiter};
    const unsigned known = written_ ? now.facts_of(*written_) : 0;
    written_ = now;
    rows_->write(row, known);
}

unsigned WindowReport::Written::facts_of(const Written& before) const {
    unsigned known = 0;
    if (origin == before.origin && depth == before.depth) known |= kFactsOfLook;
    if (policy == before.policy && client_class == before.client_class && limit_source == before.limit_source &&
        limit == before.limit && limiter == before.limiter)
        known |= kFactsOfPolicy;
    // Of a leaked window the state does not say whether it is over.
    if (state == before.state && exhausted == before.exhausted && state != domain::WindowState::leaked)
        known |= kFactsOfState;
    if (reset_at && reset_at == before.reset_at && this->now == before.now && limiter == before.limiter)
        known |= kFactsOfReset;
    if (plain && before.plain) known |= kFactsBeyondLight;
    if (limitless && before.limitless) known |= kFactsBeyondLimits;
    return known;
}

bool WindowReport::can_pass_over() const { return filter_.can_rule_out() || (kept_ && by_used_); }

// Null while there is room for any row.
const KeptRow* WindowReport::least_used_of_full() const { return kept_ && by_used_ ? kept_->last_of_full() : nullptr; }

bool WindowReport::passes_over(std::string_view counter, const KeyMeaning& meaning) const {
    if (filter_.rules_out(counter, meaning.limit)) return true;
    const KeptRow* last = least_used_of_full();
    const auto* least = last == nullptr ? nullptr : std::get_if<std::int64_t>(&last->order);
    if (least == nullptr) return false;
    const auto used = support::parse_decimal(counter);
    return !used || *used < *least;
}

bool WindowReport::passes_over_without_counter() const {
    const KeptRow* last = least_used_of_full();
    return filter_.can_rule_out() || (last != nullptr && std::holds_alternative<std::int64_t>(last->order));
}

support::Error unknown_for_exit_status(const std::string& key) {
    return {
        ExitCode::configuration,
        fmt::format("the limit of key {} is unknown, so --exit-status cannot tell whether it is used up",
                    support::quoted(key)),
        "give --limit, or a policy that matches the key; where every request moves the end, --key and --period, too"};
}

void WindowReport::note_attention(const domain::WindowLook& look, const domain::Window& window) {
    if (!exit_status_) return;
    const auto verdict = domain::rule_on(window, now_).verdict;
    if (attention_kind_ == Attention::any_row || domain::calls_for_attention(verdict)) return call_attention();
    if (verdict != domain::Verdict::limit_unknown || unknown_limit_key_) return;
    if (!meaning_of(look, settings_).exempt()) unknown_limit_key_ = look.key;
}

support::Error untold_of_corrupt(const std::string& key) {
    return {ExitCode::attention,
            fmt::format("{} is corrupt: what an application makes of it is unknown", support::quoted(key)),
            "`ratectl explain` says what is wrong with it"};
}

void WindowReport::keep(const WindowRow& row) {
    keeping_.look = row.look;
    keeping_.place = origin_.place;
    keeping_.read_at = origin_.read_at;
    keeping_.stale = origin_.stale;
    keeping_.order = owned(order_->get(row));
    kept_->add(keeping_);
}

void WindowReport::print_kept() {
    std::uint64_t left = std::min(top_.value_or(UINT64_MAX), first_.value_or(UINT64_MAX));
    while (const KeptRow* kept = left > 0 ? kept_->next() : nullptr) {
        const KeyMeaning meaning = meaning_of(kept->look, settings_);
        origin_ = {kept->place, kept->read_at, kept->stale};
        now_ = settings_.clock_at(kept->read_at);
        const domain::Window window = domain::judge(kept->look, now_, meaning.limit);
        write(make_row(kept->look, window, meaning));
        if (receiver_ == nullptr) ++shown_;
        --left;
    }
}

void WindowReport::print_count(bool complete) {
    const auto options = context_.sink_options(kWindowsSchema);
    const CountRow row{static_cast<std::int64_t>(shown_)};
    if (options.format == output::Format::table || options.format == output::Format::wide ||
        options.format == output::Format::name) {
        context_.out().write(fmt::format("{}\n", row.windows));
        context_.out().flush();
        return;
    }
    const auto sink = output::make_row_sink(options, {kCountFields[0].column}, context_.out());
    sink->row(output::Row{kCountFields[0].get(row)});
    sink->end(outcome_.footer(complete));
}

bool WindowReport::satisfied() const { return first_ && shown_ >= *first_ && !count_; }

void WindowReport::flush() {
    if (rows_) rows_->flush();
}

ExitCode WindowReport::finish(bool complete, std::span<const store::ShardProgress> shards) {
    if (taken_ > 0) outcome_.answer();
    if (unknown_limit_key_) outcome_.cannot_tell(unknown_for_exit_status(*unknown_limit_key_));
    if (count_) {
        // Where no shard was counted, 0 would be a count all the same.
        if (complete || taken_ > 0 || !outcome_.has_failures() || outcome_.code() == ExitCode::partial)
            print_count(complete);
    } else {
        if (kept_) print_kept();
        if (receiver_ != nullptr)
            receiver_->finish(outcome_.footer(complete), shards);
        else
            outcome_.add(rows_->end(outcome_.footer(complete)));
    }
    return outcome_.code();
}

}  // namespace ratectl::commands
