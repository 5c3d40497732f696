// Removes windows, whatever state they are in.
#include "commands/write/change.h"

#include <utility>

#include "commands/write/unresolved_entries.h"
#include "support/number_text.h"

namespace ratectl::commands {
namespace {

class Reset final : public Change {
public:
    Reset(std::string_view command, CountedAs counted_as)
        : command_(command),
          counted_as_(counted_as),
          mark_(command == domain::name_of(domain::WriteKind::reset) ? "" : command_mark(command)) {}

    domain::WriteKind kind() const override { return domain::WriteKind::reset; }
    std::string_view command() const override { return command_; }
    std::string asked() const override { return std::string(command_); }
    std::string_view mark() const override { return mark_; }
    std::string verb() const override { return "remove"; }
    CountedAs counted_as() const override { return counted_as_; }
    PlanRules rules() const override {
        return {.takes_closed = true,
                .sweeps = [](domain::WindowState state) { return state != domain::WindowState::absent; }};
    }

    std::optional<std::int64_t> amount_of(const Subject&) const override { return std::nullopt; }

    std::optional<Refusal> prepare(const Subject& subject) override {
        auto item = item_for(subject);
        if (!item) return item.error();
        items_.push_back(std::move(*item));
        return std::nullopt;
    }

    Forecast forecast(const Subject& subject) const override {
        const auto item = item_for(subject);
        if (!item) return {item.error(), {}, {}};
        if (domain::is_absent(subject.look)) return {skipped("absent"), {}, {}};
        auto window = model_of(subject.look, subject.now);
        if (!window) return forecast_unsound(subject, *item);
        const auto answer = domain::reset(window, item->if_reset, item->if_used_at_least);
        if (answer.refusal == domain::ModelRefusal::used_too_low) return {fewer_used(subject.planned), {}, {}};
        if (answer.refusal != domain::ModelRefusal::none) return {another_window(subject.planned), {}, {}};
        return {std::nullopt, {}, {}};
    }

    /// The script compares the guards and says what it removed; a plan's are compared with what a look shows.
    bool needs_look(const PlannedKey& planned, const KeyMeaning& meaning) const override {
        return !meaning.match || planned.if_stored;
    }

    void send(store::WriteStream& stream, store::WriteOrder order) override {
        stream.submit(std::exchange(items_, {}), std::move(order));
    }

private:
    static Refusal another_window(const PlannedKey& planned) {
        return guarded(planned, "window-changed", "is no longer the window that the guard names");
    }

    /// A half or a corrupt window goes as it is; what a guard would have to compare is not there.
    static Forecast forecast_unsound(const Subject& subject, const domain::ResetItem& item) {
        const auto& counter = domain::stored_used(subject.look);
        const auto end = domain::stored_window(subject.look).reset_at;
        if (domain::has_wrong_type(subject.look) || is_too_large(subject)) return {refuse_corrupt(subject), {}, {}};
        const bool other_end = item.if_reset && end != std::to_string(support::epoch_seconds(*item.if_reset));
        if (other_end) return {another_window(subject.planned), {}, {}};
        if (!item.if_used_at_least) return {std::nullopt, {}, {}};
        const auto used = domain::integer_of(counter);
        if (counter.value && !used) return {refuse_corrupt(subject), {}, {}};
        if (!used || *used < *item.if_used_at_least) return {fewer_used(subject.planned), {}, {}};
        return {std::nullopt, {}, {}};
    }

    tl::expected<domain::ResetItem, Refusal> item_for(const Subject& subject) const {
        const auto& planned = subject.planned;
        const auto stored = domain::stored_window(subject.look);
        const bool something = stored.used || stored.reset_at || stored.state;
        const bool as_stored = !planned.if_stored || domain::same_bytes(*planned.if_stored, stored);
        if (something && !as_stored) return tl::make_unexpected(another_window(planned));
        return domain::ResetItem{
            {planned.key, planned.shard}, planned.if_reset, planned.if_used_at_least, planned.if_stored, subject.now};
    }

    std::string_view command_;
    CountedAs counted_as_;
    std::string mark_;
    std::vector<domain::ResetItem> items_;
};

}  // namespace

std::unique_ptr<Change> make_reset(std::string_view command, CountedAs counted_as) {
    return std::make_unique<Reset>(command, counted_as);
}

}  // namespace ratectl::commands
