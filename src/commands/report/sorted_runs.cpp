// All rows in order: sorted in memory as long as they fit, else in sorted runs in a file, merged at the end.
#include <algorithm>
#include <queue>

#include "commands/report/kept_rows.h"
#include "commands/report/row_record.h"
#include "output/cell.h"
#include "support/temporary_file.h"

namespace ratectl::commands {
namespace {

using support::TemporaryFile;

/// A record in memory and its rank.
struct Entry {
    std::uint64_t rank = 0;
    std::uint32_t at = 0;
    bool null = false;
};

/// Negative: a first. Ranks have been compared already.
int compare(const RecordOrder& a, const RecordOrder& b, bool descending) {
    if (stands_before(a.order, b.order, descending)) return -1;
    if (stands_before(b.order, a.order, descending)) return 1;
    return a.key.compare(b.key);
}

/// One sorted run on its way out of the file, a buffer at a time.
class SortedRun {
public:
    SortedRun(const TemporaryFile& file, TemporaryFile::Extent extent, std::size_t buffer, bool descending)
        : reader_(file, extent, buffer), descending_(descending) {
        advance();
    }
    bool ended() const { return record_.empty(); }
    std::string_view record() const { return record_; }
    const RowRank& rank() const { return rank_; }
    const RecordOrder& order() const { return order_; }

    void advance() {
        reader_.skip(record_.size());
        record_ = {};
        const auto head = reader_.peek(kRecordHead);
        if (head.size() < kRecordHead) return;
        record_ = reader_.peek(kRecordHead + record_length(head));
        order_ = order_of(record_);
        rank_ = rank_of(order_.order, descending_);
    }

private:
    TemporaryFile::Reader reader_;
    bool descending_;
    std::string_view record_;
    RecordOrder order_;
    RowRank rank_;
};

class AllRows final : public KeptRows {
public:
    AllRows(RowOrder order, std::string folder, std::size_t memory)
        : descending_(order.descending),
          memory_(memory),
          most_bytes_(memory / 4 * 3),
          most_entries_(memory / 4 / sizeof(Entry)),
          file_(std::move(folder), "the rows that are being sorted",
                "--top N needs no file; TMPDIR names another folder") {}

    void add(const KeptRow& row) override {
        if (bytes_.capacity() == 0) {  // costs nothing until it is used
            bytes_.reserve(most_bytes_ + most_bytes_ / 8);
            entries_.reserve(most_entries_);
        }
        const RowRank rank = rank_of(row.order, descending_);
        entries_.push_back({rank.number, static_cast<std::uint32_t>(bytes_.size()), rank.null});
        append_record(bytes_, row);
        if (bytes_.size() >= most_bytes_ || entries_.size() >= most_entries_) write_run();
    }

    const KeptRow* next() override {
        if (!begun_) begin();
        return extents_.empty() ? next_of_memory() : next_of_runs();
    }

private:
    std::string_view record_at(std::uint32_t at) const {
        const auto rest = std::string_view(bytes_).substr(at);
        return rest.substr(0, kRecordHead + record_length(rest));
    }

    void sort() {
        std::sort(entries_.begin(), entries_.end(), [this](const Entry& a, const Entry& b) {
            if (a.null != b.null) return b.null;
            if (a.rank != b.rank) return a.rank < b.rank;
            const int which = compare(order_of(record_at(a.at)), order_of(record_at(b.at)), descending_);
            return which != 0 ? which < 0 : a.at < b.at;
        });
    }

    void write_run() {
        sort();
        const auto begin = file_.length();
        for (const Entry& entry : entries_) file_.append(record_at(entry.at));
        file_.flush();
        extents_.push_back({begin, file_.length() - begin});
        bytes_.clear();
        entries_.clear();
    }

    void begin() {
        begun_ = true;
        if (extents_.empty()) return sort();
        if (!entries_.empty()) write_run();
        std::string().swap(bytes_);
        std::vector<Entry>().swap(entries_);
        constexpr std::size_t smallest = 16'384;
        constexpr std::size_t largest = std::size_t{1} << 20U;
        const std::size_t buffer = std::clamp(memory_ / extents_.size(), smallest, largest);
        runs_.reserve(extents_.size());
        for (const auto& extent : extents_) runs_.emplace_back(file_, extent, buffer, descending_);
        for (std::size_t i = 0; i < runs_.size(); ++i) waiting_.push(i);
    }

    const KeptRow* next_of_memory() {
        if (given_ == entries_.size()) return nullptr;
        read_record(record_at(entries_[given_++].at), row_);
        return &row_;
    }

    const KeptRow* next_of_runs() {
        if (waiting_.empty()) return nullptr;
        const std::size_t first = waiting_.top();
        waiting_.pop();
        read_record(runs_[first].record(), row_);
        runs_[first].advance();
        if (!runs_[first].ended()) waiting_.push(first);
        return &row_;
    }

    /// For the queue, which has the greatest on top.
    struct ComesLater {
        const AllRows* rows;
        bool operator()(std::size_t a, std::size_t b) const {
            const SortedRun& x = rows->runs_[a];
            const SortedRun& y = rows->runs_[b];
            if (x.rank().null != y.rank().null) return x.rank().null;
            if (x.rank().number != y.rank().number) return x.rank().number > y.rank().number;
            const int which = compare(x.order(), y.order(), rows->descending_);
            return which != 0 ? which > 0 : a > b;
        }
    };

    bool descending_;
    std::size_t memory_;
    std::size_t most_bytes_;
    std::size_t most_entries_;
    TemporaryFile file_;
    std::string bytes_;  // records
    std::vector<Entry> entries_;
    std::vector<TemporaryFile::Extent> extents_;  // runs in the file
    bool begun_ = false;
    std::size_t given_ = 0;
    std::vector<SortedRun> runs_;
    std::priority_queue<std::size_t, std::vector<std::size_t>, ComesLater> waiting_{ComesLater{this}};
    KeptRow row_;
};

}  // namespace

std::unique_ptr<KeptRows> keep_all_rows(RowOrder order, std::string folder, std::size_t memory) {
    return std::make_unique<AllRows>(order, std::move(folder), memory);
}

}  // namespace ratectl::commands
