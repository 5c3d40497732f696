// The path of every look to its row; sweeps take it a million times.
#include "commands/window_report.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "commands/cell_order.h"
#include "support/decimal.h"

namespace ratectl::commands {
namespace {

constexpr std::string_view kSchema = "ratectl.windows.v1";

std::optional<std::uint64_t> parse_count(const std::optional<std::string>& text, const std::string& flag) {
    if (!text) return std::nullopt;
    const auto number = support::parse_unsigned(*text, UINT32_MAX);
    if (number && *number > 0) return number;
    throw support::Failure(ExitCode::usage, flag + " '" + *text + "' is not a number of windows",
                           "for example " + flag + " 10");
}

std::optional<output::Field<WindowRow>> order_field(const ReportOptions& options) {
    if (!options.sort && !options.top) return std::nullopt;
    const auto chosen =
        output::choose_fields(window_fields(), options.sort.value_or("used"), output::Column::Shown::machine);
    if (!chosen) throw support::Failure(ExitCode::usage, "--sort: " + chosen.error().message, chosen.error().hint);
    if (chosen->size() != 1) throw support::Failure(ExitCode::usage, "--sort takes one column", {});
    return chosen->front();
}

struct CountRow {
    std::int64_t windows = 0;
};
const output::Field<CountRow> kCountFields[] = {
    {{"windows", output::CellType::integer, "WINDOWS", "how many windows the selection has"},
     [](const CountRow& row) -> output::Cell { return row.windows; }},
};

}  // namespace

void bind_order(CLI::App& app, ReportOptions& options) {
    app.add_option("--sort", options.sort, "order rows by this column")->type_name("COLUMN");
    app.add_flag("--reverse", options.reverse, "the other way round");
    app.add_flag("--exit-status", options.exit_status,
                 "say by the exit code what was found: 1 when there is something to look at");
}

WindowReport::WindowReport(Context& context, const Filter& filter, const ReportOptions& options, Attention attention,
                           std::string_view narrow)
    : context_(context),
      filter_(filter),
      attention_kind_(attention),
      exit_status_(options.exit_status),
      count_(options.count),
      descending_(options.top.has_value() != options.reverse),
      top_(parse_count(options.top, "--top")),
      first_(parse_count(options.first, "--first")),
      order_(order_field(options)) {
    if (options.reverse && !order_)
        throw support::Failure(ExitCode::usage, "--reverse needs an order to reverse", "name one with --sort");
    if (count_) return;
    rows_.emplace(context, window_fields(), kSchema, narrow);
    const auto format = rows_->options().format;
    human_ = format == output::Format::table || format == output::Format::wide;
}

const WindowReport::Place* WindowReport::place_of(const domain::Node* node) {
    if (node == nullptr) return nullptr;
    for (const Place& place : places_) {
        if (place.node.role == node->role && place.node.shard == node->shard &&
            place.node.endpoint.same_server(node->endpoint))
            return &place;
    }
    places_.push_back({*node, node->name(), node->shard + " (stale)"});
    return &places_.back();
}

support::Instant WindowReport::now_at(support::WallTime read_at) const {
    return context_.settings().now.value_or(support::to_instant(read_at));
}

WindowRow WindowReport::make_row(const domain::WindowLook& look, const domain::Window& window,
                                 const KeyMeaning& meaning, const Place* place, support::WallTime read_at,
                                 bool stale) const {
    WindowRow row{look,    window, meaning, context_.settings().deployment, {}, {}, std::nullopt, now_at(read_at),
                  read_at, stale};
    if (place == nullptr) return row;
    row.shard = stale && human_ ? place->stale_shard : place->node.shard;
    row.node = place->address;
    row.role = place->node.role;
    return row;
}

void WindowReport::take(const domain::WindowLook& look, const KeyMeaning& meaning, const domain::Node* node,
                        support::WallTime read_at, bool stale) {
    ++taken_;
    const support::Instant now = now_at(read_at);
    const domain::Window window = domain::judge(look, now, meaning.limit);
    if (!filter_.accepts(look.key, window, now)) return;
    note_attention(look, window, now);
    if (count_) {
        ++shown_;
        return;
    }
    const Place* place = place_of(node);
    const WindowRow row = make_row(look, window, meaning, place, read_at, stale);
    if (order_) {
        keep(row, place);
        return;
    }
    if (satisfied()) return;
    ++shown_;
    rows_->write(row);
}

void WindowReport::note_attention(const domain::WindowLook& look, const domain::Window& window, support::Instant now) {
    if (attention_kind_ == Attention::any_row) {
        attention_ = true;
        return;
    }
    attention_ = attention_ || window.exhausted;
    const bool open = window.used && window.reset_at && *window.reset_at >= now;
    if (exit_status_ && open && !window.limit && !unknown_limit_key_) unknown_limit_key_ = look.key;
}

bool WindowReport::comes_first(const Kept& a, const Kept& b) const {
    if (stands_before(a.order, b.order, descending_)) return true;
    if (stands_before(b.order, a.order, descending_)) return false;
    return a.look.key < b.look.key;
}

/// With --top only the best N stay: a heap whose front is the one to go next.
void WindowReport::keep(const WindowRow& row, const Place* place) {
    const auto before = [this](const Kept& a, const Kept& b) { return comes_first(a, b); };
    Kept kept{row.look, place, row.read_at, row.stale, owned(order_->get(row))};
    if (!top_) {
        kept_.push_back(std::move(kept));
        return;
    }
    if (kept_.size() == *top_ && !comes_first(kept, kept_.front())) return;
    kept_.push_back(std::move(kept));
    std::push_heap(kept_.begin(), kept_.end(), before);
    if (kept_.size() <= *top_) return;
    std::pop_heap(kept_.begin(), kept_.end(), before);
    kept_.pop_back();
}

void WindowReport::print_kept() {
    std::stable_sort(kept_.begin(), kept_.end(), [this](const Kept& a, const Kept& b) { return comes_first(a, b); });
    for (const Kept& kept : kept_) {
        if (satisfied()) break;
        const KeyMeaning meaning = meaning_of(kept.look.key, context_.settings());
        const domain::Window window = domain::judge(kept.look, now_at(kept.read_at), meaning.limit);
        rows_->write(make_row(kept.look, window, meaning, kept.place, kept.read_at, kept.stale));
        ++shown_;
    }
    kept_.clear();
}

void WindowReport::print_count() {
    const auto options = context_.sink_options(kSchema);
    const CountRow row{static_cast<std::int64_t>(shown_)};
    if (options.format == output::Format::table || options.format == output::Format::wide ||
        options.format == output::Format::name) {
        context_.out().write(fmt::format("{}\n", row.windows));
        context_.out().flush();
        return;
    }
    const auto sink = output::make_row_sink(options, {kCountFields[0].column}, context_.out());
    sink->row(output::Row{kCountFields[0].get(row)});
    sink->end({failures_, failures_.empty()});
}

void WindowReport::fail(const domain::Node& node, const support::Error& error) {
    const output::FailureRow failure = failure_row(node, error);
    const bool known = std::any_of(failures_.begin(), failures_.end(), [&](const output::FailureRow& f) {
        return f.shard == failure.shard && f.node == failure.node;
    });
    if (known) return;
    failures_.push_back(failure);
    context_.messages().error(error, failure.shard, failure.node);
}

bool WindowReport::satisfied() const { return first_ && shown_ >= *first_ && !count_; }

void WindowReport::flush() {
    if (rows_) rows_->flush();
}

ExitCode WindowReport::ending() const {
    ExitCode code = ExitCode::done;
    if (exit_status_ && attention_) code = ExitCode::attention;
    if (unknown_limit_key_) code = support::graver(code, ExitCode::configuration);
    if (failures_.empty()) return code;
    if (taken_ > 0 || answered_) return support::graver(code, ExitCode::partial);
    for (const output::FailureRow& failure : failures_)
        code = support::graver(code, static_cast<ExitCode>(failure.code));
    return code;
}

ExitCode WindowReport::finish(bool complete) {
    ExitCode code = ExitCode::done;
    if (count_) {
        print_count();
    } else {
        print_kept();
        code = rows_->end({failures_, complete && failures_.empty()});
    }
    if (unknown_limit_key_) {
        context_.messages().error({ExitCode::configuration,
                                   "the limit of key '" + *unknown_limit_key_ +
                                       "' is unknown, so --exit-status cannot tell whether it is used up",
                                   "give --limit, or a policy that matches the key"});
    }
    return support::graver(ending(), code);
}

}  // namespace ratectl::commands
