// Rows in their order, cut into what one script call sent at one moment.
#include "journal/version_1.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "journal/journal_state.h"
#include "journal/slice_store.h"

namespace ratectl::journal {
namespace {

/// The calls of so many rows are kept open; as many as a command sends before it waits for answers.
constexpr std::size_t kTogether = 5000;

constexpr std::string_view kRows = R"sql(
SELECT i.operation, i.row, i.slice, i.server, i.sent_ms, i.again, i.key, i.amount, t.status, t.reason, t.used_before,
    t.reset_before, t.counter_expires_before, t.expiry_expires_before, t.used_after, t.reset_after,
    t.counter_expires_after, t.expiry_expires_after, t.taken, t.answered_ms
FROM intent i LEFT JOIN outcome t ON t.operation = i.operation AND t.row = i.row ORDER BY i.operation, i.row)sql";

domain::StoredWindow window_of(const Statement& row, int first) {
    return {row.maybe_bytes(first), row.maybe_bytes(first + 1), row.maybe_integer(first + 2),
            row.maybe_integer(first + 3)};
}

class Packing {
public:
    explicit Packing(Database& database) : slices_(database), select_(database, kRows) {}

    void run() {
        std::size_t rows = 0;
        while (select_.step()) {
            const auto operation = select_.integer(0);
            if (operation != operation_ || ++rows % kTogether == 0) put();
            operation_ = operation;
            take();
        }
        put();
    }

private:
    struct Call {
        std::vector<SliceWindow> windows;
        std::vector<std::optional<Outcome>> outcomes;
    };
    /// Slice, server, time and whether it was sent again.
    using Place = std::tuple<std::int64_t, std::int64_t, std::int64_t, bool>;

    void take() {
        const auto row = static_cast<std::uint64_t>(select_.integer(1));
        auto& call = calls_[{select_.integer(2), select_.integer(3), select_.integer(4), select_.integer(5) != 0}];
        call.windows.push_back({row, select_.bytes(6), select_.maybe_integer(7)});
        call.outcomes.push_back(outcome(row));
    }

    std::optional<Outcome> outcome(std::uint64_t row) const {
        const auto word = select_.maybe_bytes(8);
        if (!word) return std::nullopt;
        const auto* const status = std::ranges::find(kStatuses, *word, [](auto s) { return domain::name_of(s); });
        if (status == kStatuses.end()) slices_.fail_damaged("the status '" + *word + "'");
        return Outcome{row,
                       *status,
                       select_.bytes(9),
                       window_of(select_, 10),
                       window_of(select_, 14),
                       select_.integer(18),
                       to_wall_time(select_.integer(19))};
    }

    void put() {
        for (const auto& [place, call] : calls_) {
            StoredSlice slice;
            slice.operation = operation_;
            slice.number = static_cast<std::uint64_t>(std::get<0>(place));
            slice.server = std::get<1>(place);
            slice.sent_ms = std::get<2>(place);
            slice.again = std::get<3>(place);
            std::vector<WindowView> windows;
            for (const auto& window : call.windows) windows.push_back(window.view());
            slice.id = slices_.insert(slice, windows);
            std::vector<const Outcome*> outcomes;
            for (const auto& outcome : call.outcomes) outcomes.push_back(outcome ? &*outcome : nullptr);
            if (std::ranges::any_of(call.outcomes, [](const auto& outcome) { return outcome.has_value(); }))
                slices_.put_outcomes(slice, outcomes);
        }
        calls_.clear();
    }

    SliceStore slices_;
    Statement select_;
    std::int64_t operation_ = 0;
    std::map<Place, Call> calls_;
};

}  // namespace

void pack_rows_of_version_1(Database& database) { Packing(database).run(); }

}  // namespace ratectl::journal
