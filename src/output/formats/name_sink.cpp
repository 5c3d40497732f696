// Format name: only the keys, one a line or NUL-ended, ready to be read back.
#include <algorithm>

#include "output/formats/machine_text.h"
#include "output/formats/sinks.h"
#include "output/printable.h"

namespace ratectl::output {
namespace {

constexpr std::size_t kNamedLeftOut = 100;

class NameSink final : public RowSink {
public:
    NameSink(const SinkOptions& options, std::vector<Column> columns, ByteSink& out)
        : nul_(options.nul_separated), out_(out) {
        if (encodes_keys(options)) key_format_ = options.key_format;
        const auto key =
            std::find_if(columns.begin(), columns.end(), [](const Column& c) { return c.type == CellType::key; });
        const auto named = key != columns.end() ? key : std::ranges::find_if(columns, &Column::names_row);
        if (named != columns.end()) column_ = static_cast<std::size_t>(named - columns.begin());
    }

    void row(std::span<const Cell> cells, std::uint64_t) override {
        const auto text = text_of(cells[column_]);
        if (!text) return;
        line_.clear();
        if (key_format_) {
            line_ += encode_key(*key_format_, *text);
        } else if (nul_ ? is_one_record(*text) : is_one_safe_line(*text)) {
            line_ += *text;
        } else {
            if (left_out_.size() < kNamedLeftOut) left_out_.emplace_back(*text);
            ++left_out_count_;
            return;
        }
        line_ += nul_ ? '\0' : '\n';
        out_.write(line_);
    }
    void end(const Footer&) override { out_.flush(); }
    void flush() override { out_.flush(); }
    const std::vector<std::string>& left_out() const override { return left_out_; }
    std::uint64_t left_out_count() const override { return left_out_count_; }

private:
    /// Read back as what stands before a NUL it is the same key; nothing is not a record.
    static bool is_one_record(std::string_view text) {
        return !text.empty() && text.find('\0') == std::string_view::npos;
    }

    /// Read back as a raw line it is the same key, and a terminal is safe from it. A backslash is an ordinary byte
    /// here.
    static bool is_one_safe_line(std::string_view text) {
        if (text.empty()) return false;
        if (is_plain(text)) return true;
        if (text.find('\\') == std::string_view::npos) return false;
        std::string rest(text);
        std::replace(rest.begin(), rest.end(), '\\', '/');
        return is_plain(rest);
    }

    bool nul_;
    ByteSink& out_;
    std::optional<KeyFormat> key_format_;
    std::size_t column_ = 0;
    std::string line_;
    std::vector<std::string> left_out_;
    std::uint64_t left_out_count_ = 0;
};

}  // namespace

std::unique_ptr<RowSink> make_name_sink(const SinkOptions& options, std::vector<Column> columns, ByteSink& out) {
    return std::make_unique<NameSink>(options, std::move(columns), out);
}

}  // namespace ratectl::output
