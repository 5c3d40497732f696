// The order in which a chunk of keys is judged: what may not be touched, what was done before, what is there now.
#include "commands/write/write_chunk.h"

#include <algorithm>

#include <fmt/format.h>

#include "commands/write/key_homes.h"
#include "commands/write/pins.h"
#include "domain/cluster/slot_faults.h"
#include "store/directory.h"
#include "support/quote.h"

namespace ratectl::commands {

namespace {
constexpr std::size_t kKeysBetweenPolls = 500;

bool is_sound(domain::WindowState state) {
    using domain::WindowState;
    return state == WindowState::absent || state == WindowState::open || state == WindowState::exhausted ||
           state == WindowState::closed || state == WindowState::negative;
}
}  // namespace

ChunkWriter::ChunkWriter(const Orders& orders, const Consent& consent, std::vector<domain::WindowState> states,
                         Change& change, Context& context)
    : orders_(orders),
      consent_(consent),
      states_(std::move(states)),
      change_(change),
      context_(context),
      settings_(context.settings()),
      directory_(context.directory()),
      rules_(change.rules()),
      writer_(orders, fmt::format("{}{} of {}", change.asked(), orders.guards.text(), orders.named), context,
              change.mark()),
      before_(context.new_operation_id()) {
    if (orders.plan) plan_.emplace(orders, change, context);
    if (orders.dry && !orders.plan) open_slots_ = context.store().open_slots();
    writer_.record().hold_outcomes();
}

void ChunkWriter::submit(std::vector<PlannedKey> keys) {
    Chunk chunk;
    chunk.first_row = rows_ + 1;
    chunk.written.keys = std::move(keys);
    for (auto& key : chunk.written.keys) guard(key);
    chunk.written.rows = fresh_rows(chunk.written.keys);
    poll();
    const auto slices = writer_.cut(chunk.written.keys);
    check_cut(chunk.written.keys, slices);
    poll();
    const auto to_look = prepare_unseen(chunk, slices);
    if (!to_look.empty()) {
        // What the chunks before are about to change must not be looked at before it is changed.
        while (std::ranges::any_of(pending_, &Chunk::on_its_way)) await();
        look_and_prepare(chunk, to_look);
    }
    if (!chunk.taken.empty()) send(chunk, slices);
    pending_.push_back(std::move(chunk));
}

WrittenChunk ChunkWriter::take() {
    if (pending_.front().on_its_way) await();
    auto written = std::move(pending_.front().written);
    pending_.pop_front();
    writer_.count_replicas(written.rows);
    return written;
}

void ChunkWriter::await() {
    const auto next = std::ranges::find_if(pending_, &Chunk::on_its_way);
    if (next == pending_.end()) return;
    next->on_its_way = false;
    auto results = stream_->take();
    for (std::size_t item = 0; item < next->taken.size(); ++item)
        take_result(next->written.rows[next->taken[item]], std::move(results[item]), change_.kind(),
                    [this](std::string_view reason) { return change_.hint_for(reason); });
}

void ChunkWriter::await_oldest() {
    if (pending_.front().on_its_way) await();
    writer_.record().flush();
}

void ChunkWriter::await_all() {
    while (std::ranges::any_of(pending_, &Chunk::on_its_way)) await();
    writer_.record().flush();
}

void ChunkWriter::poll() const {
    if (stream_) stream_->poll();
}

std::vector<WriteRow> ChunkWriter::write(std::span<const PlannedKey> chunk) {
    submit({chunk.begin(), chunk.end()});
    await_all();
    return take().rows;
}

void ChunkWriter::finish() {
    if (plan_) plan_->finish();
}

std::vector<WriteRow> ChunkWriter::fresh_rows(std::span<const PlannedKey> keys) {
    std::vector<WriteRow> rows;
    rows.reserve(keys.size());
    addresses_.clear();
    for (std::size_t i = 0; i < directory_.places().size(); ++i) addresses_.push_back(directory_.primary(i).name());
    for (const auto& key : keys) begin_row(key, ++rows_, rows.emplace_back());
    return rows;
}

void ChunkWriter::begin_row(const PlannedKey& planned, std::uint64_t row, WriteRow& fresh) const {
    fresh.key = planned.key;
    fresh.deployment = settings_.deployment;
    fresh.limiter = &limiter_of(settings_);
    if (planned.home == Home::known || planned.home == Home::unlooked) {
        const auto shard = planned.home == Home::unlooked ? planned.homes.front() : planned.shard;
        fresh.shard = directory_.name_of(shard);
        fresh.node = addresses_[shard];
    }
    fresh.op = domain::name_of(change_.kind());
    fresh.because = orders_.head.operation.reason;
    fresh.amount = planned.amount;
    if (!orders_.dry) fresh.op_id = orders_.id() + "/" + std::to_string(row);
}

/// What flags demand of every window, beside what its row or its look demands.
void ChunkWriter::guard(PlannedKey& planned) const {
    if (!planned.if_reset) planned.if_reset = orders_.guards.window;
    planned.if_used_at_least = std::max(planned.if_used_at_least, orders_.guards.used_at_least);
    if (planned.if_stored) fit_pin(planned, limiter_of(settings_).of(planned.key));
}

/// What its row tells was stored in another way than its limiter does here.
std::optional<support::Error> ChunkWriter::seen_otherwise(const PlannedKey& planned) const {
    if (planned.layout.empty()) return std::nullopt;
    return other_layout("key " + support::quoted(planned.key) + " was looked at", planned.layout, planned.key,
                        settings_);
}

std::optional<Refusal> ChunkWriter::refuse_unseen(const PlannedKey& planned) const {
    if (planned.home != Home::known) return refuse_homeless(planned, rules_.opens, directory_);
    if (auto unfit = context_.store().unfit(planned.key)) return lost_look(*std::move(unfit));
    if (auto other = seen_otherwise(planned)) return Refusal{RowStatus::refused, "other-layout", std::move(other)};
    if (auto of_other = refuse_part(planned, limiter_of(settings_))) return of_other;
    if (domain::is_reserved_key(planned.key))
        return refused(planned, "reserved", "begins as ratectl's own keys do, so it is not a window of an application");
    if (consent_.is_protected(planned.key)) return refused(planned, "protected", "is protected by the configuration");
    if (orders_.guards.window && planned.if_reset != orders_.guards.window)
        return guarded(planned, "window-changed", "is not in the window that --if-window names");
    if (planned.misplaced) {
        return refused(planned, "misplaced", "was found on a shard where the application does not look for it",
                       "--shard names one shard whose windows are meant wherever they belong");
    }
    return std::nullopt;
}

/// A plan says how it was cut; where another version cuts otherwise, or policies have got other schemes, its calls
/// would not be the same calls any more.
void ChunkWriter::check_cut(std::span<const PlannedKey> chunk, std::span<const PlannedSlice> slices) const {
    for (const auto& slice : slices) {
        for (const auto i : slice.keys) {
            if (chunk[i].slice == 0 || chunk[i].slice == slice.number) continue;
            for (const auto& planned : chunk)
                if (auto other = seen_otherwise(planned)) throw support::Failure(*std::move(other));
            throw support::Failure(
                ExitCode::guard,
                "the plan was cut into calls in another way than this ratectl would; nothing was written",
                "apply it with the version that made it, or make a new one");
        }
    }
}

bool ChunkWriter::take_earlier(const PlannedKey& planned, const EarlierWrite& earlier, WriteRow& row) {
    if (earlier.kind == EarlierWrite::Kind::left_out) return true;
    if (earlier.kind == EarlierWrite::Kind::doubtful) {
        row.status = RowStatus::unknown;
        row.reason = "earlier-attempt";
        row.error = support::Error{ExitCode::unknown,
                                   "key " + support::quoted(planned.key) +
                                       ": an earlier attempt under this operation id may have " +
                                       "written it, and no operation key tells; it was not sent again",
                                   "look at the key, then decide anew under a new operation id"};
        return false;
    }
    const auto& answer = earlier.answer;
    if (earlier.kind == EarlierWrite::Kind::lost) {
        row.status = RowStatus::unknown;
        row.reason = "other-server";
        row.error = support::Error{
            ExitCode::unknown,
            "key " + support::quoted(planned.key) + " was changed by this operation (" +
                domain::used_words(answer.before) + " -> " + domain::used_words(answer.after) + ") " + earlier.where +
                "; the server has no record of that now, so the change may be lost, and it was " + "not sent again",
            "look at the key; where the change is missing, make it under a new operation id"};
        return false;
    }
    row.status = row_status(answer.status);
    if (row.status == RowStatus::applied) row.status = RowStatus::already_applied;
    row.reason = answer.why;
    row.before = answer.before;
    row.after = answer.after;
    row.because = earlier.because;
    const bool is_another = planned.period || planned.follows || end_moves(planned);
    if (row.status == RowStatus::already_applied && is_another && domain::model_of(answer.after))
        before_.note(planned.shard, planned.key, answer.after, 0, true);
    if (change_.kind() == domain::WriteKind::refund && row.status == RowStatus::already_applied)
        row.taken = answer.taken;
    if (row.status == RowStatus::refused || row.status == RowStatus::window_changed) {
        row.error = support::Error{ExitCode::guard,
                                   "key " + support::quoted(planned.key) + ": " + answer.why +
                                       " when this operation was carried out; nothing was written to it",
                                   "look again and decide anew, under a new operation id"};
    }
    return false;
}

/// What can be decided without a look is; returns the others.
std::vector<std::size_t> ChunkWriter::prepare_unseen(Chunk& chunk, std::span<const PlannedSlice> slices) {
    const auto& keys = chunk.written.keys;
    std::vector<std::optional<EarlierWrite>> earlier;  // none where nothing can have been done before
    if (orders_.repeatable) {
        if (!earlier_) earlier_.emplace(orders_, change_, context_);
        earlier = earlier_->of(keys, slices, chunk.first_row);
    }
    chunk.left_out.assign(keys.size(), false);
    const domain::WindowLook nothing_seen;
    const domain::Window no_window;
    const auto now = context_.now();
    std::vector<std::size_t> to_look;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (i % kKeysBetweenPolls == 0) poll();
        auto& row = chunk.written.rows[i];
        const bool known = !earlier.empty() && earlier[i].has_value();
        if (known && !take_earlier(keys[i], *earlier[i], row)) continue;
        chunk.left_out[i] = known;
        if (auto refusal = refuse_unseen(keys[i])) {
            take_refusal(row, std::move(*refusal));
            take_node(row, {});
            continue;
        }
        const auto meaning = orders_.dry || chunk.left_out[i] ? KeyMeaning{} : meaning_of(keys[i].key, settings_);
        if (!meaning.match || !states_.empty() || keys[i].whole || change_.needs_look(keys[i], meaning)) {
            to_look.push_back(i);
            continue;
        }
        const Subject subject{keys[i], nothing_seen, no_window, meaning, now};
        row.amount = change_.amount_of(subject);
        if (auto refusal = change_.prepare(subject)) {
            take_refusal(row, std::move(*refusal));
        } else {
            chunk.taken.push_back(i);
        }
    }
    return to_look;
}

void ChunkWriter::look_and_prepare(Chunk& chunk, const std::vector<std::size_t>& to_look) {
    auto& keys = chunk.written.keys;
    std::vector<store::KeyAt> question;
    question.reserve(to_look.size());
    bool full = to_look.size() <= kFullLookUpTo;
    for (const auto i : to_look) {
        question.push_back({keys[i].key, keys[i].shard});
        full = full || (!keys[i].meant && !settings_.policies.match(keys[i].key));
    }
    const auto depth = full ? domain::LookDepth::full : domain::LookDepth::light;
    auto answers = context_.store().look({question, {domain::ReadFrom::Which::primary, {}}, depth, false, true});
    const auto now = context_.now();
    change_.take_looks(answers);
    for (auto& answer : answers) {
        const auto i = to_look.at(answer.key);
        auto& row = chunk.written.rows[i];
        if (!answer.look) {
            take_lost_look(row, answer);
        } else if (prepare(keys[i], std::move(answer), now, row, chunk.left_out[i])) {
            chunk.taken.push_back(i);
        }
    }
}

void ChunkWriter::take_lost_look(WriteRow& row, const store::LookAnswer& answer) const {
    if (context_.stop()) return;  // stays not-attempted
    take_refusal(row, lost_look(answer.look.error()));
    take_node(row, answer.node);
}

/// True when the change has taken it.
bool ChunkWriter::prepare(PlannedKey& planned, store::LookAnswer answer, support::Moment now, WriteRow& row,
                          bool left_out) {
    auto& look = *answer.look;
    if (auto refusal = go_on(planned, look, now)) {
        take_refusal(row, std::move(*refusal));
        return false;
    }
    const auto meaning = meaning_of(look, settings_);
    const auto window = domain::judge(look, now, meaning.limit);
    const Subject subject{planned, look, window, meaning, now, answer.server_now, orders_.repeatable};
    row.before = domain::stored_window(look, now);
    row.amount = change_.amount_of(subject);
    auto unfit = planned.whole ? take_whole(planned, look, now, rules_) : std::nullopt;
    if (!unfit) unfit = refuse_unsound(subject);
    if (unfit) {
        take_refusal(row, std::move(*unfit));
        return false;
    }
    if (left_out) {
        auto forecast = change_.forecast(subject);
        take_refusal(row, forecast.refusal ? std::move(*forecast.refusal) : refuse_left_out(planned, orders_));
        return false;
    }
    if (orders_.dry) {
        take_forecast(subject, row);
        return false;
    }
    if (auto refusal = change_.prepare(subject)) {
        take_refusal(row, std::move(*refusal));
        return false;
    }
    if (planned.may_come_again && planned.demands_a_window())
        note_for_rows_behind(subject, change_.forecast(subject).after);
    return true;
}

/// A key that comes again is met as the row before leaves it: in a dry run nothing has come of that one, and what is
/// sent together was looked at together. Where that one opens the window, the end that it gets is demanded; where it
/// moves the end, nothing is: what the script will find then, to the nanosecond, is known to the server alone.
std::optional<Refusal> ChunkWriter::go_on(PlannedKey& planned, domain::WindowLook& look, support::Moment now) const {
    const auto* left = orders_.dry || planned.demands_a_window() ? before_.of(planned.shard, planned.key) : nullptr;
    if (left == nullptr && !planned.follows) return std::nullopt;
    if (left == nullptr)
        return guarded(planned, "window-changed", "was to go into a window that a row before it did not change");
    const bool moves = end_moves(planned);
    // A look behind rows that were sent shows them already, and what is sent goes by what the server has then.
    if (orders_.dry || !moves) look = look_behind(left, look, now);
    planned.follows = left->is_another;
    if (!planned.follows) return std::nullopt;
    planned.if_stored.reset();
    planned.if_reset = moves ? std::nullopt : std::optional{left->window->reset_at};
    return std::nullopt;
}

void ChunkWriter::note_for_rows_behind(const Subject& subject, const domain::StoredWindow& after) {
    const auto& planned = subject.planned;
    const bool is_another = planned.follows || end_moves(planned) || !domain::open_until(subject.look, subject.now);
    if (!planned.may_come_again || !domain::model_of(after) || (!orders_.dry && !is_another)) return;
    before_.note(planned.shard, planned.key, after, change_.amount_of(subject).value_or(0), is_another);
}

/// Half, leaked and corrupt keys are changed only when the user said that they are windows.
std::optional<Refusal> ChunkWriter::refuse_unsound(const Subject& subject) const {
    const auto state = subject.window.state;
    const bool named = subject.planned.meant || domain::is_in(subject.window, states_);
    if (is_sound(state) || subject.meaning.match || named) return std::nullopt;
    if (domain::has_wrong_type(subject.look)) return refuse_corrupt(subject);  // no --state helps
    return refused(subject.planned, "not-a-window",
                   "is not a window (" + std::string(domain::name_of(state)) + "), and no policy says it should be one",
                   "--state " + std::string(domain::name_of(state)) + " if it is meant all the same");
}

void ChunkWriter::take_forecast(const Subject& subject, WriteRow& row) {
    auto forecast = change_.forecast(subject);
    if (!forecast.refusal) forecast.refusal = foresee_slot(subject, open_slots_, directory_, orders_.op_keys);
    if (forecast.refusal) return take_refusal(row, std::move(*forecast.refusal));
    note_for_rows_behind(subject, forecast.after);
    row.status = RowStatus::planned;
    row.after = std::move(forecast.after);
    row.taken = forecast.taken;
    if (plan_) row.op_id = orders_.id() + "/" + std::to_string(plan_->add(subject));
}

void ChunkWriter::send(Chunk& chunk, std::span<const PlannedSlice> slices) {
    constexpr auto not_sent = static_cast<std::size_t>(-1);
    const auto& keys = chunk.written.keys;
    std::vector<std::size_t> item_of(keys.size(), not_sent);
    std::vector<RecordedItem> recorded;
    recorded.reserve(chunk.taken.size());
    for (std::size_t item = 0; item < chunk.taken.size(); ++item) {
        const auto i = chunk.taken[item];
        item_of[i] = item;
        recorded.push_back({chunk.first_row + i, keys[i].key, chunk.written.rows[i].amount});
    }
    std::vector<store::Slice> calls;
    for (const auto& slice : slices) {
        store::Slice call{slice.number, slice.fingerprint, {}};
        for (const auto i : slice.keys) {
            if (item_of[i] != not_sent) call.items.push_back(item_of[i]);
        }
        if (!call.items.empty()) calls.push_back(std::move(call));
    }
    if (!stream_) stream_ = context_.store().write_stream();
    change_.send(*stream_, writer_.order(std::move(recorded), std::move(calls)));
    chunk.on_its_way = true;
}

}  // namespace ratectl::commands
