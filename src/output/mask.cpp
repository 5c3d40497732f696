// Masks keys: in cells they are known by their column, in sentences by their quotes.
#include "output/mask.h"

#include <algorithm>
#include <optional>

#include "output/formats/machine_text.h"
#include "support/quote.h"

namespace ratectl::output {
namespace {

/// What is longer between quotes is hidden unread: reading it again from each of its own quotes would take forever.
constexpr std::size_t kLongestKey = 1024;
constexpr std::string_view kTooLong = "(hidden: too long)";
constexpr std::size_t kNone = std::string_view::npos;

bool ends_a_quote(std::string_view text, std::size_t at) {
    constexpr std::string_view behind = " ,.;:)\n";
    return at + 1 == text.size() || behind.find(text[at + 1]) != kNone;
}

bool begins_a_quote(std::string_view text, std::size_t at) {
    constexpr std::string_view before = " (\n";
    return at == 0 || before.find(text[at - 1]) != kNone;
}

/// The closing quote of what support::quoted() has quoted there: quotes inside are doubled.
std::size_t closing(std::string_view text, std::size_t open, std::size_t end) {
    for (std::size_t at = text.find('\'', open + 1); at < end;) {
        const bool doubled = text.substr(at).starts_with("''");
        if (!doubled && ends_a_quote(text, at)) return at;
        at = text.find('\'', at + (doubled ? 2 : 1));
    }
    return kNone;
}

/// The first closing quote behind `open` that stands before `end`, in words that are not ours.
std::size_t any_closing(std::string_view text, std::size_t open, std::size_t end) {
    for (std::size_t at = text.find('\'', open + 1); at < end; at = text.find('\'', at + 1))
        if (ends_a_quote(text, at)) return at;
    return kNone;
}

/// Where the last closing quote stands; 0: nowhere.
std::size_t last_close_of(std::string_view text) {
    for (std::size_t at = text.rfind('\''); at != kNone && at > 0; at = text.rfind('\'', at - 1))
        if (ends_a_quote(text, at)) return at;
    return 0;
}

/// A key may hold what looks like its closing quote: it goes on as long as another one closes before the next opens.
/// Nothing of ours opens right behind the blank after a closing.
std::size_t last_closing(std::string_view text, std::size_t close, std::size_t end) {
    for (std::size_t at = close + 1; (at = text.substr(0, end).find('\'', at)) != kNone; ++at) {
        if (begins_a_quote(text, at) && at > close + 2) break;
        if (ends_a_quote(text, at)) close = at;
    }
    return close;
}

struct HiddenQuote {
    std::string shown;
    std::size_t close = 0;
};

/// What stands for the key that is quoted from there on; null: it is none that must be hidden. `endless`: that a quote
/// like this one has no end is known, or is known now; looking for it from every other one would take forever.
std::optional<HiddenQuote> hidden_quote(const Mask& mask, std::string_view text, std::size_t open, bool& endless) {
    const std::size_t end = std::min(text.size(), open + 2 + kLongestKey);
    std::size_t nearest = closing(text, open, end);
    if (nearest == kNone && begins_a_quote(text, open) && !endless) {
        nearest = closing(text, open, text.size());
        endless = nearest == kNone;
    }
    if (nearest == kNone) nearest = any_closing(text, open, begins_a_quote(text, open) ? text.size() : end);
    if (nearest == kNone) return std::nullopt;
    if (nearest >= end) return HiddenQuote{std::string(kTooLong), last_closing(text, nearest, text.size())};
    const std::size_t last = last_closing(text, nearest, end);
    for (const std::size_t close : {last, nearest}) {
        const std::string quoted = support::unquoted(text.substr(open + 1, close - open - 1));
        if (std::string key = mask.key(quoted); key != quoted) return HiddenQuote{std::move(key), close};
    }
    return std::nullopt;
}

class MaskedSink final : public RowSink {
public:
    MaskedSink(std::unique_ptr<RowSink> sink, std::vector<Column> columns, std::shared_ptr<const Mask> mask)
        : sink_(std::move(sink)), columns_(std::move(columns)), mask_(std::move(mask)) {}

    void row(std::span<const Cell> cells, std::uint64_t same) override {
        if (!mask_->hides()) {
            sink_->row(cells, same);
            return;
        }
        row_.assign(cells.begin(), cells.end());
        for (std::size_t i = 0; i < row_.size(); ++i) {
            const auto text = text_of(row_[i]);
            if (!text) continue;
            const CellType type = columns_[i].type;
            if (type == CellType::key) {
                row_[i] = Bytes{mask_->key(*text)};
            } else if (text->find('\'') != kNone) {
                if (type == CellType::text) row_[i] = Text{masked(mask_.get(), *text)};
                if (type == CellType::bytes) row_[i] = Bytes{masked(mask_.get(), *text)};
            }
        }
        sink_->row(row_, same);
    }
    void end(const Footer& footer) override {
        Footer shown = footer;
        for (FailureRow& failure : shown.failures) {
            failure.message = masked(mask_.get(), failure.message);
            failure.hint = masked(mask_.get(), failure.hint);
        }
        for (LeftOutRow& one : shown.left_out) {
            if (!one.key.empty() && mask_->hides()) one.key = mask_->key(one.key);
            one.why = masked(mask_.get(), one.why);
        }
        sink_->end(shown);
    }
    void flush() override { sink_->flush(); }
    const std::vector<std::string>& left_out() const override { return sink_->left_out(); }
    std::uint64_t left_out_count() const override { return sink_->left_out_count(); }

private:
    std::unique_ptr<RowSink> sink_;
    std::vector<Column> columns_;
    std::shared_ptr<const Mask> mask_;
    Row row_;
};

}  // namespace

std::string masked(const Mask* mask, std::string_view text) {
    if (mask == nullptr || !mask->hides()) return std::string(text);
    std::string shown;
    std::size_t at = 0;
    const std::size_t last_close = last_close_of(text);
    bool endless = false;
    for (std::size_t open = text.find('\''); open < last_close; open = text.find('\'', at)) {
        shown += text.substr(at, open - at);
        at = open;
        if (const auto hidden = hidden_quote(*mask, text, open, endless)) {
            shown += "'" + hidden->shown + "'";
            at = hidden->close + 1;
        } else {  // a quote that is none of a key's may end where the next one begins
            shown += text[at++];
        }
    }
    return shown.append(text.substr(at));
}

std::unique_ptr<RowSink> masked_sink(std::unique_ptr<RowSink> sink, std::vector<Column> columns,
                                     std::shared_ptr<const Mask> mask) {
    return std::make_unique<MaskedSink>(std::move(sink), std::move(columns), std::move(mask));
}

}  // namespace ratectl::output
