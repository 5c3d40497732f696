// Feeds the selected keys into a stream of looks as fast as they come, and passes its answers on to the receiver.
#include "commands/looks/named_looks.h"

#include <algorithm>
#include <exception>
#include <numeric>

#include <fmt/format.h>

#include "commands/context.h"
#include "commands/looks/meant_instead.h"
#include "commands/sweep/duplicates.h"
#include "domain/cluster/slot_faults.h"
#include "domain/limiter.h"
#include "support/quote.h"

namespace ratectl::commands {
namespace {

constexpr std::size_t kAskedAtOnce = 1000;
/// Of keys that no server would take, the first are said one by one.
constexpr std::uint64_t kSaidBadKeys = 3;

class NamedLooks {
public:
    NamedLooks(KeyStream& keys, const NamedQuestion& question, const Filter& filter, Context& context,
               const LookReceiver& receiver)
        : left_out_(keys.left_out()),
          meant_(keys.meant()),
          filter_(filter),
          question_(question),
          fully_(question.depth == domain::LookDepth::full ? 0 : question.full_first),
          judges_windows_(filter.judges_windows() && !question.any_window),
          context_(context),
          receiver_(receiver),
          directory_(context.directory()),
          duplicates_(context) {
        open(fully_ > 0 ? domain::LookDepth::full : question.depth);
        if (directory_.knows_homes()) return;
        for (const auto& place : places_to_ask({}, context)) {
            if (filter.accepts_shard(place.shard)) everywhere_.push_back(place);
        }
    }

    void run(KeyStream& keys) {
        for (;;) {
            if (!context_.stop()) feed(keys);
            const auto views = stream_->next();
            report_failures();
            if (views.empty() && (ended_ || context_.stop())) break;
            deliver(views);
            if (views.empty() && is_full_phase() && asked_ == fully_) open(question_.depth);
        }
        duplicates_.finish();
        left_out_.tell_missing(asked_);
        if (context_.stop()) keys.note_untried(asked_ - looked_ - left_out_.missing());
        if (broke_off_) std::rethrow_exception(broke_off_);
    }

private:
    /// The keys that come next are looked at so.
    void open(domain::LookDepth depth) {
        stream_ = context_.store().look_stream({question_.from, depth, question_.as_script, filter_.shards()});
        before_ = asked_;
        reported_ = 0;
    }

    /// Those that get the full look are being asked for.
    bool is_full_phase() const { return before_ < fully_; }

    /// How many more keys may be asked for at once.
    std::size_t room() const {
        const std::size_t most = std::min(stream_->room(), kAskedAtOnce);
        return is_full_phase() ? std::min<std::size_t>(most, fully_ - asked_) : most;
    }

    /// Asks for as many keys as the stream wants and the input has. Where it has none, what is there is shown, and only
    /// once all is answered is more waited for.
    void feed(KeyStream& keys) {
        try {
            while (!ended_ && room() > 0) {
                if (!keys.ready()) {
                    receiver_.idle();
                    if (answered_ < asked_) return;
                }
                const auto chunk = keys.next(room(), chunk_);
                ended_ = chunk.empty();
                for (const NamedKey& named : chunk) ask(named.key);
            }
        } catch (const support::Failure&) {
            broke_off_ = std::current_exception();  // what came before is answered first
            ended_ = true;
        }
    }

    void ask(const std::string& key) {
        const auto refused = filter_.refused_by(meaning_of(key, context_.settings()).match);
        if (!refused.empty()) return left_out_.note(key, refused);
        if (const auto place = directory_.place_of(key)) {
            if (!filter_.accepts_shard(place->shard)) return left_out_.note(key, "--shard");
            stream_->ask(key, *place);
        } else {
            stream_->ask(key, everywhere_);
        }
        ++asked_;
    }

    void report_failures() {
        const auto& failures = stream_->failures();
        for (; reported_ < failures.size(); ++reported_)
            receiver_.fail(failures[reported_].node, failures[reported_].error);
    }

    void deliver(std::span<const store::LookView> views) {
        failed_ = nullptr;
        for (auto begin = views.begin(); begin != views.end();) {
            const auto end = std::find_if(begin, views.end(), [&](const auto& view) { return view.key != begin->key; });
            deliver_key({begin, end});
            answered_ = before_ + begin->key + 1;
            begin = end;
        }
    }

    void deliver_key(std::span<const store::LookView> views) {
        const store::LookView* absent = nullptr;
        bool found = false;
        const support::Error* failed = nullptr;
        for (const store::LookView& view : views) {
            if (view.look == nullptr) {
                failed = view.error;
                fail(view);
            } else if (!directory_.knows_homes() && domain::is_absent(*view.look)) {
                absent = &view;
            } else {
                found = true;
                take(view, view.node);
            }
        }
        if (failed == nullptr) note_meant(views);
        if (found || (absent != nullptr && failed == nullptr)) {
            ++looked_;
        } else if (!context_.stop()) {
            left_out_.note_missing(std::string(views.front().name), *failed);
        }
        // While a shard has not answered, the key cannot be called absent.
        if (absent != nullptr && !found && failed == nullptr) take(*absent, nullptr);
        if (!directory_.knows_homes() && found) report_duplicate(views);
    }

    /// A key with anything on one of several shards is what it is there.
    void note_meant(std::span<const store::LookView> views) {
        const auto there = std::ranges::find_if(views, [](const auto& view) { return !domain::is_absent(*view.look); });
        const auto& look = *(there == views.end() ? views.front() : *there).look;
        if (!domain::is_absent(look) && !look.limiter->part_of(look.key)) return meant_.note_found(look.key);
        meant_.note(look.key, domain::judge(look, context_.now(), std::nullopt).state);
    }

    void take(const store::LookView& view, const domain::Node* node) {
        const KeyMeaning meaning = meaning_of(*view.look, context_.settings());
        if (judges_windows_ && !is_let_through(view, meaning)) return;
        receiver_.take({*view.look, meaning, node, view.read_at, view.stale});
    }

    bool is_let_through(const store::LookView& view, const KeyMeaning& meaning) {
        const auto now = context_.settings().clock_at(view.read_at);
        const auto window = domain::judge(*view.look, now, meaning.limit);
        return lets_through(filter_, left_out_, view.look->key, window, now);
    }

    void fail(const store::LookView& view) {
        if (context_.stop()) return;        // we gave up, not the node
        if (failed_ == view.error) return;  // the whole batch did
        failed_ = view.error;
        if (domain::is_bad_key(*view.error) && ++bad_keys_ > kSaidBadKeys) return;  // tell_missing() counts them
        receiver_.fail(*view.node, *view.error);
    }

    void report_duplicate(std::span<const store::LookView> views) {
        std::vector<Copy> copies;
        for (const store::LookView& view : views) {
            if (view.look == nullptr || domain::is_absent(*view.look)) continue;
            if (!copies.empty() && copies.back().shard == view.node->shard) continue;  // another node of it
            copies.push_back({view.node->shard, view.look, context_.settings().clock_at(view.read_at)});
        }
        if (copies.size() < 2) return;
        duplicates_.report(copies.front().look->key, copies);
        if (receiver_.duplicate) receiver_.duplicate();
    }

    LeftOut& left_out_;
    MeantInstead& meant_;
    const Filter& filter_;
    const NamedQuestion& question_;
    std::uint64_t fully_;  // so many keys get the full look, and the others what is asked for
    bool judges_windows_;
    Context& context_;
    const LookReceiver& receiver_;
    const store::Directory& directory_;
    std::unique_ptr<store::LookStream> stream_;
    Duplicates duplicates_;
    std::vector<store::Place> everywhere_;  // that may have a key, while it is not known which one it is
    std::vector<NamedKey> chunk_;
    std::uint64_t asked_ = 0;
    std::uint64_t before_ = 0;  // of them, by the stream before
    std::uint64_t answered_ = 0;
    std::uint64_t looked_ = 0;  // of the answered: some look
    std::uint64_t bad_keys_ = 0;
    std::size_t reported_ = 0;                // of the stream's failures
    const support::Error* failed_ = nullptr;  // reported last, of the answers at hand
    bool ended_ = false;
    std::exception_ptr broke_off_;
};

}  // namespace

std::vector<store::Place> places_to_ask(std::string_view key, Context& context) {
    if (const auto place = context.directory().place_of(key)) return {*place};
    std::vector<store::Place> places(context.directory().places().size());
    for (std::size_t i = 0; i < places.size(); ++i) places[i].shard = i;
    return places;
}

void say_home_unknown(Context& context) {
    if (context.directory().knows_homes() || context.settings().all_shards) return;
    context.messages().notice(
        "nothing says how keys are shared out over the shards, so every shard is asked for every key",
        "say it with --sharding, or with `sharding` in the configuration; --all-shards if no rule places keys");
}

NamedQuestion question_of_named(const Filter& filter, const config::Settings& settings) {
    NamedQuestion question;
    question.from = settings.read_from;
    if (filter.judges_states()) question.depth = domain::LookDepth::full;
    question.full_first = kFullLookUpTo;
    return question;
}

void look_at_named(KeyStream& keys, const NamedQuestion& question, const Filter& filter, Context& context,
                   const LookReceiver& receiver) {
    say_home_unknown(context);
    NamedLooks(keys, question, filter, context, receiver).run(keys);
}

}  // namespace ratectl::commands
