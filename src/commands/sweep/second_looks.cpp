// Looks again, page by page, while the sweep goes on reading ahead.
#include "commands/sweep/second_looks.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "domain/limiter.h"

namespace ratectl::commands {
namespace {

/// A key of another type shows no value in a light look, as one that is not there.
bool seems_half(const domain::WindowLook& look, support::Moment now) {
    if (!domain::lacks_a_value(look)) return false;
    const auto state = domain::judge(look, now, std::nullopt).state;
    return state == domain::WindowState::orphan_counter || state == domain::WindowState::orphan_expiry;
}

/// The node will not answer later, either.
bool is_forbidden(const support::Error& error) {
    return error.code == support::ExitCode::access || error.code == support::ExitCode::protocol;
}

class SweepWithSecondLooks final : public store::ScanStream {
public:
    SweepWithSecondLooks(std::unique_ptr<store::ScanStream> sweep, const SweepSubject& subject, const Filter& filter,
                         Context& context, std::function<support::Moment(support::WallTime)> now_at)
        : sweep_(std::move(sweep)), subject_(subject), filter_(filter), context_(context), now_at_(std::move(now_at)) {}

    const store::ScanPage* next() override {
        const auto* page = sweep_->next();
        note_failures();
        if (page == nullptr) return nullptr;
        const auto taken = taken_of(*page);
        if (taken.empty()) return page;
        page_ = *page;
        look_again(taken);
        if (context_.stop()) return nullptr;  // not all of them were: the page is not done with
        return &page_;
    }
    bool ready() const override { return sweep_->ready(); }
    void take_back() override { sweep_->take_back(); }
    const std::vector<store::NodeFailure>& failures() const override { return failures_; }
    const std::vector<store::ShardProgress>& progress() const override { return sweep_->progress(); }
    bool may_stop() const override { return sweep_->may_stop(); }
    std::optional<store::ScanMark> mark() override { return sweep_->mark(); }

private:
    void note_failures() {
        const auto& failures = sweep_->failures();
        for (; noted_ < failures.size(); ++noted_) failures_.push_back(failures[noted_]);
    }

    /// The looks that the filter would take by a state that may be another one: of those that it does not name, a half.
    std::vector<std::size_t> taken_of(const store::ScanPage& page) const {
        const auto now = now_at_(page.read_at);
        std::vector<std::size_t> taken;
        for (std::size_t i = 0; i < page.looks.size(); ++i) {
            const auto& look = page.looks[i];
            if (look.depth == domain::LookDepth::full) continue;
            if (!filter_.judges_states() && !seems_half(look, now)) continue;
            const auto meaning = meaning_of(look, context_.settings());
            if (subject_.part_of(meaning) != SweepSubject::Part::meant) continue;
            if (filter_.accepts(look.key, domain::judge(look, now, meaning.limit), now)) taken.push_back(i);
        }
        return taken;
    }

    /// Of a window that would have two keys there is a counter alone, as far as the look tells, and none is listed.
    bool is_unlisted(const domain::WindowLook& look) const {
        const bool has_two = look.limiter != nullptr && look.limiter->reset_part();
        if (!has_two || subject_.lists_orphans()) return false;
        return domain::judge(look, now_at_(page_.read_at), std::nullopt).state == domain::WindowState::orphan_counter;
    }

    void look_again(const std::vector<std::size_t>& taken) {
        using Which = domain::ReadFrom::Which;
        domain::ReadFrom from{Which::primary, {}};
        // Where slots are on their way its windows may have been looked at on another shard than they were found on.
        const auto& directory = context_.directory();
        const auto shard = directory.find(page_.node.shard).value_or(page_.shard);
        if (page_.node.name() != directory.primary(shard).name()) from = {Which::node, page_.node.name()};
        std::vector<store::KeyAt> question;
        question.reserve(taken.size());
        for (const auto i : taken) question.push_back({page_.looks[i].key, page_.shard});
        std::set<std::size_t> lost;
        for (auto& answer : context_.store().look({question, from, domain::LookDepth::full, false})) {
            const auto i = taken.at(answer.key);
            auto& look = page_.looks[i];
            if (answer.look) {
                look = *std::move(answer.look);
                if (domain::is_nothing(look) || is_unlisted(look)) lost.insert(i);
            } else if (filter_.judges_states() || is_unlisted(look)) {
                lost.insert(i);
                note_lost(answer);
            } else if (is_forbidden(answer.look.error())) {
                note_lost(answer);
            }
            // In any other case, too, what was seen stands, as the light look that it was.
        }
        std::size_t i = 0;
        std::erase_if(page_.looks, [&](const auto&) { return lost.contains(i++); });
    }

    void note_lost(const store::LookAnswer& answer) {
        if (context_.stop()) return;  // we gave up, not the node
        const bool known = std::ranges::any_of(failures_, [&](const store::NodeFailure& failure) {
            return failure.node.shard == answer.node.shard && failure.node.name() == answer.node.name();
        });
        if (!known) failures_.push_back({answer.node, answer.look.error()});
    }

    std::unique_ptr<store::ScanStream> sweep_;
    const SweepSubject& subject_;
    const Filter& filter_;
    Context& context_;
    std::function<support::Moment(support::WallTime)> now_at_;
    store::ScanPage page_;
    std::vector<store::NodeFailure> failures_;
    std::size_t noted_ = 0;  // of the sweep's failures
};

}  // namespace

std::unique_ptr<store::ScanStream> with_second_looks(std::unique_ptr<store::ScanStream> sweep,
                                                     const SweepSubject& subject, const Filter& filter,
                                                     Context& context,
                                                     std::function<support::Moment(support::WallTime)> now_at) {
    return std::make_unique<SweepWithSecondLooks>(std::move(sweep), subject, filter, context, std::move(now_at));
}

}  // namespace ratectl::commands
