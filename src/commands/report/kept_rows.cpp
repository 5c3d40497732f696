// Keeps the best N rows in a heap whose front is the one to be dropped next.
#include "commands/report/kept_rows.h"

#include <algorithm>

#include "output/cell.h"

namespace ratectl::commands {
namespace {

class FirstRows final : public KeptRows {
public:
    FirstRows(RowOrder order, std::size_t most) : order_(order), most_(most) {}

    void add(const KeptRow& row) override {
        const auto before = [this](const KeptRow& a, const KeptRow& b) { return order_.before(a, b); };
        if (rows_.size() == most_) {
            if (!order_.before(row, rows_.front())) return;
            std::pop_heap(rows_.begin(), rows_.end(), before);
            rows_.back() = row;
        } else {
            rows_.push_back(row);
        }
        std::push_heap(rows_.begin(), rows_.end(), before);
    }

    const KeptRow* next() override {
        if (given_ == 0) {
            std::sort(rows_.begin(), rows_.end(),
                      [this](const KeptRow& a, const KeptRow& b) { return order_.before(a, b); });
        }
        return given_ == rows_.size() ? nullptr : &rows_[given_++];
    }

    const KeptRow* last_of_full() const override { return rows_.size() == most_ ? &rows_.front() : nullptr; }

private:
    RowOrder order_;
    std::size_t most_;
    std::vector<KeptRow> rows_;
    std::size_t given_ = 0;
};

}  // namespace

bool RowOrder::before(const KeptRow& a, const KeptRow& b) const {
    if (stands_before(a.order, b.order, descending)) return true;
    if (stands_before(b.order, a.order, descending)) return false;
    return a.look.key < b.look.key;
}

std::unique_ptr<KeptRows> keep_first_rows(RowOrder order, std::size_t most) {
    return std::make_unique<FirstRows>(order, most);
}

}  // namespace ratectl::commands
