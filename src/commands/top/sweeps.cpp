// Runs top's sweeps: takes pages and looks as they come; the ranking changes when a sweep ends.
#include "commands/top/sweeps.h"

#include <algorithm>
#include <functional>

#include "commands/report/key_mask.h"
#include "commands/sweep/second_looks.h"
#include "output/printable.h"

namespace ratectl::commands::top {
namespace {

constexpr std::size_t kPagesAtOnce = 50;  // between two looks at the keyboard

std::size_t hash_of(std::size_t shard, const std::string& key) {
    return std::hash<std::string>()(key) ^ (shard * 0x9E3779B97F4A7C15U);
}

}  // namespace

Sweeps::Sweeps(const SweepQuestion& question, const Filter& filter, std::size_t most, Context& context)
    : question_(question),
      filter_(filter),
      most_(most),
      context_(context),
      settings_(context.settings()),
      subject_(rules_of(question), filter, settings_),
      clock_(settings_.now, context.wall_clock()) {}

void Sweeps::begin(Wanted wanted) {
    wanted_ = std::move(wanted);
    ranking_.emplace(wanted_.order, most_);
    found_ = exhausted_ = 0;
    subject_.begin();
    failures_seen_ = 0;
    found_troubles_.clear();
    seen_before_ = std::exchange(seen_, {});
    began_ = context_.wall_clock();
    stream_ = with_second_looks(context_.store().scan(scan_question(question_, subject_)), subject_, filter_, context_,
                                [this](support::WallTime at) { return clock(at); });
}

void Sweeps::wait(support::Milliseconds length) {
    context_.store().pause(length,
                           [this] { return (stream_ && stream_->ready()) || (!asked_.empty() && looks_->ready()); });
}

bool Sweeps::take() {
    bool news = take_looks();
    for (std::size_t pages = 0; stream_ && stream_->ready() && pages < kPagesAtOnce; ++pages) {
        if (context_.stop()) return news;
        news = true;
        if (const auto* page = stream_->next()) {
            take_page(*page);
        } else {
            end();
        }
    }
    if (stream_) note_failures();
    return news;
}

void Sweeps::catch_up() {
    if (stream_ && !ended_) publish();
}

void Sweeps::take_page(const store::ScanPage& page) {
    answered_ = true;
    const domain::Node* node = kept(page.node);
    for (const domain::WindowLook& look : page.looks) take_look(look, page, node);
}

void Sweeps::take_look(const domain::WindowLook& look, const store::ScanPage& page, const domain::Node* node) {
    const KeyMeaning meaning = meaning_of(look, settings_);
    if (!subject_.takes(look, meaning)) return;
    const support::Moment now = clock(page.read_at);
    const domain::Window window = domain::judge(look, now, meaning.limit);
    if (!filter_.accepts(look.key, window, now)) return;
    // What is over is no weight, unless the user asks for it.
    if (!window.used && filter_.states().empty()) return subject_.leave_out(window.state);
    ++found_;
    if (window.exhausted) ++exhausted_;
    rank(look, window, page, node);
}

void Sweeps::rank(const domain::WindowLook& look, const domain::Window& window, const store::ScanPage& page,
                  const domain::Node* node) {
    domain::BurnRate use;
    Order order = wanted_.order;
    if (order.by == SortKey::rate && window.used && window.reset_at) {
        remember(hash_of(page.shard, look.key), {clock(page.read_at), *window.used, *window.reset_at}, use);
    }
    // The first sweep knows no rates.
    if (order.by == SortKey::rate && seen_before_.empty()) order.by = SortKey::used;
    output::Cell cell = order_cell(order.by, look, window, use);
    if (!ranking_->has_room_for(cell)) return;
    if (!wanted_.filter.empty() && !passes_filter(wanted_.filter, output::printable(visible_key(look.key, settings_))))
        return;
    RankedWindow ranked;
    ranked.shard = page.shard;
    ranked.use = std::move(use);
    ranked.see(domain::WindowLook(look), node, page.read_at, page.stale, clock(page.read_at));
    ranking_->add(std::move(ranked), std::move(cell));
}

void Sweeps::remember(std::size_t hash, const domain::UseSample& sample, domain::BurnRate& use) {
    if (const auto before = seen_before_.find(hash); before != seen_before_.end()) use.add(before->second);
    use.add(sample);
    if (seen_.size() < kMostRemembered) seen_.insert_or_assign(hash, sample);
}

/// What is known of a window from looks at it goes on.
void Sweeps::publish() {
    std::unordered_map<std::string, RankedWindow*> known;
    for (RankedWindow& window : windows_) known.emplace(id_of(window), &window);
    std::vector<RankedWindow> next = ranking_->best();
    for (RankedWindow& window : next) {
        const auto old = known.find(id_of(window));
        if (old == known.end()) continue;
        RankedWindow merged = std::move(*old->second);
        merged.see(std::move(window.look), window.node, window.read_at, window.stale, clock(window.read_at));
        window = std::move(merged);
    }
    windows_ = std::move(next);
}

void Sweeps::end() {
    note_failures();
    answered_ = false;
    for (const store::ShardProgress& shard : stream_->progress()) {
        answered_ = answered_ || shard.complete;
        if (shard.complete) continue;
        const domain::Node node = shard.node.value_or(context_.directory().primary(shard.shard));
        if (found_troubles_.contains(node.shard)) continue;
        note(node, {ExitCode::partial, "shard '" + node.shard + "' could not be read to the end", {}});
    }
    troubles_ = found_troubles_;
    publish();
    ended_ = context_.wall_clock();
    last_.windows = found_;
    last_.exhausted = exhausted_;
    last_.left_out = subject_.left_out_words();
    last_.took = *ended_ - began_;
    last_.order = wanted_.order;
    answered_ = answered_ || found_ > 0;
    stream_.reset();
}

void Sweeps::look_at(std::span<const std::size_t> numbers) {
    if (numbers.empty() || looking()) return;
    if (!looks_) {
        looks_ = context_.store().look_stream({question_.from, question_.depth, false, filter_.shards()});
        questions_ = 0;
    }
    for (const std::size_t number : numbers) {
        if (number >= windows_.size()) continue;  // drawn before the last sweep ended
        const RankedWindow& window = windows_[number];
        asked_.emplace(questions_++, id_of(window));
        looks_->ask(window.look.key, store::Place{window.shard});
    }
}

bool Sweeps::take_looks() {
    if (!looking()) return false;
    std::unordered_map<std::string, RankedWindow*> by_id;
    bool news = false;
    while (!asked_.empty() && looks_->ready() && !context_.stop()) {
        if (by_id.empty())
            for (RankedWindow& window : windows_) by_id.emplace(id_of(window), &window);
        const auto views = looks_->next();
        if (views.empty()) asked_.clear();
        for (store::LookView& view : views) {
            news = true;
            const auto asked = asked_.find(view.key);
            if (asked == asked_.end()) continue;
            const auto window = by_id.find(asked->second);
            asked_.erase(asked);
            if (view.error != nullptr) {
                note(*view.node, *view.error);
                looks_broken_ = true;
            } else if (window != by_id.end()) {
                window->second->see(std::move(*view.look), kept(*view.node), view.read_at, view.stale,
                                    clock(view.read_at));
            }
        }
    }
    // Next time another server may answer.
    if (asked_.empty() && std::exchange(looks_broken_, false)) looks_.reset();
    return news;
}

void Sweeps::note(const domain::Node& node, const support::Error& error) {
    found_troubles_.try_emplace(node.shard, Trouble{node, error});
    troubles_.try_emplace(node.shard, Trouble{node, error});
}

void Sweeps::note_failures() {
    const auto& failures = stream_->failures();
    for (; failures_seen_ < failures.size(); ++failures_seen_)
        note(failures[failures_seen_].node, failures[failures_seen_].error);
}

std::vector<Sweeps::Trouble> Sweeps::troubles() const {
    std::vector<Trouble> all;
    for (const auto& [shard, trouble] : troubles_) all.push_back(trouble);
    return all;
}

const domain::Node* Sweeps::kept(const domain::Node& node) {
    return &nodes_.try_emplace(std::string(name_of(node.role)) + ' ' + node.shard + ' ' + node.name(), node)
                .first->second;
}

SweepPicture Sweeps::picture(support::WallTime now) const {
    SweepPicture picture = last_;
    picture.under_way = under_way();
    picture.found = found_;
    if (ended_) {
        picture.age = std::max(support::Milliseconds{0}, support::Milliseconds{now - *ended_});
    } else {
        picture.windows = found_;
        picture.exhausted = exhausted_;
        picture.left_out = subject_.left_out_words();
        picture.order = wanted_.order;
    }
    if (!stream_) return picture;
    picture.shards = stream_->progress().size();
    picture.shards_done =
        static_cast<std::size_t>(std::ranges::count_if(stream_->progress(), &store::ShardProgress::complete));
    return picture;
}

}  // namespace ratectl::commands::top
