// Statistics as a page: the figures, and the heaviest windows packed so that a hundred thousand of them stay below 5
// MB.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "commands/report/key_mask.h"
#include "commands/stats/figures.h"
#include "output/formats/json_row.h"
#include "output/formats/json_writer.h"
#include "output/formats/machine_text.h"
#include "output/printable.h"
#include "output/report/report.h"

namespace ratectl::commands::stats {
namespace {

constexpr std::size_t kMostBytes =
    4'800'000;  // of windows; the rest of the page takes far less than what is left to 5 MB

struct Entry {
    std::string key;  // printable
    std::int64_t used = 0;
    std::optional<std::int64_t> reset;  // null: never
    std::size_t group = 0;
};

/// What many windows share, as a JSON object.
std::string group_of(const WindowRow& row) {
    output::JsonWriter out;
    out.open('{');
    out.member("shard", row.shard);
    out.member("state", domain::name_of(row.window.state));
    row.meaning.match ? out.member("policy", row.meaning.match->policy->name) : out.null("policy");
    out.member("limit", row.window.limit);
    out.close('}');
    return out.take();
}

/// How many characters both begin with, ASCII only, so that it is the same number in whatever units.
std::size_t shared_beginning(std::string_view a, std::string_view b) {
    std::size_t length = 0;
    while (length < a.size() && length < b.size() && a[length] == b[length] &&
           static_cast<unsigned char>(a[length]) < 0x80)
        ++length;
    return length;
}

/// Columns of the table: keys as what they do not share with the key before them.
struct Columns {
    std::string shared;
    std::string rest;
    std::string used;
    std::string reset;
    std::string group;

    std::size_t size() const { return shared.size() + rest.size() + used.size() + reset.size() + group.size(); }
    void add(const Entry& entry, std::string_view key_before) {
        const std::size_t same = shared_beginning(key_before, entry.key);
        const char* comma = rest.empty() ? "" : ",";
        shared += comma + fmt::to_string(same);
        rest += comma;
        output::append_json_string(rest, std::string_view(entry.key).substr(same));
        used += comma + fmt::to_string(entry.used);
        reset += comma + (entry.reset ? fmt::to_string(*entry.reset) : "null");
        group += comma + fmt::to_string(entry.group);
    }
};

class PagePrinter final : public Printer {
public:
    explicit PagePrinter(Context& context) : context_(context) {}

    void take_heaviest(const WindowRow& row, const Figures&) override {
        const auto [found, fresh] = group_numbers_.try_emplace(group_of(row), groups_.size());
        if (fresh) groups_.push_back(found->first);
        const auto& end = row.window.reset_at;
        entries_.push_back({output::printable(visible_key(row.look.key, context_.settings())), *row.window.used,
                            end ? std::optional{support::epoch_seconds(*end)} : std::nullopt, found->second});
    }

    void print(const Figures& figures) override {
        std::string data = "{" + json_members(figures) + ",\"failures\":[";
        for (const output::FailureRow& failure : figures.footer.failures) {
            if (data.back() != '[') data += ',';
            output::append_json_failure(data, failure);
        }
        data += figures.footer.complete ? "],\"complete\":true" : "],\"complete\":false";
        data += ",\"table\":" + table() + "}";
        output::write_report(context_.out(), data);
    }

private:
    std::string table() {
        std::size_t count = entries_.size();
        Columns columns = pack(count);
        while (columns.size() > kMostBytes) {
            count = static_cast<std::size_t>(static_cast<double>(count) * 0.98 * kMostBytes /
                                             static_cast<double>(columns.size()));
            columns = pack(count);
        }
        if (count < entries_.size()) {
            context_.messages().notice(
                fmt::format("the page names the {} heaviest windows: with all {} it would be larger than 5 MB", count,
                            entries_.size()),
                "ratectl scan -o csv writes all of them");
        }
        std::string groups;
        for (const std::string& group : groups_) groups += (groups.empty() ? "" : ",") + group;
        return fmt::format(
            R"({{"count":{},"groups":[{}],"shared":[{}],"rest":[{}],"used":[{}],"reset":[{}],"group":[{}]}})", count,
            groups, columns.shared, columns.rest, columns.used, columns.reset, columns.group);
    }

    /// The first `count` entries, by key.
    Columns pack(std::size_t count) const {
        std::vector<const Entry*> sorted;
        sorted.reserve(count);
        for (std::size_t i = 0; i < count; ++i) sorted.push_back(&entries_[i]);
        std::sort(sorted.begin(), sorted.end(), [](const Entry* a, const Entry* b) { return a->key < b->key; });
        Columns columns;
        std::string_view before;
        for (const Entry* entry : sorted) {
            columns.add(*entry, before);
            before = entry->key;
        }
        return columns;
    }

    Context& context_;
    std::vector<Entry> entries_;  // heaviest first
    std::map<std::string, std::size_t> group_numbers_;
    std::vector<std::string> groups_;
};

}  // namespace

std::unique_ptr<Printer> make_page_printer(Context& context) { return std::make_unique<PagePrinter>(context); }

}  // namespace ratectl::commands::stats
