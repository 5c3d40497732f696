// Reads a TZif file.
// A version 2 file says everything twice: with times of 4 bytes for old readers, then with 8. The second is read.
#include "support/time_zone.h"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace ratectl::support {
namespace {

constexpr std::string_view kFolder = "/usr/share/zoneinfo/";
constexpr const char* kLocalFile = "/etc/localtime";
constexpr std::string_view kMagic = "TZif";
constexpr std::size_t kLargestFile = 1 << 16;

/// A zone's name, and nothing that leads out of the folder or to its other files.
bool is_name(std::string_view name) {
    const bool plain = std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
               c == '+' || c == '/';
    });
    return plain && !name.empty() && name.front() != '/' && !name.starts_with("posix/") && !name.starts_with("right/");
}

/// Big-endian numbers off the front; `failed` once the bytes have run out.
class ByteReader {
public:
    explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

    std::string_view take(std::size_t count) {
        if (count > rest_.size()) failed_ = true;
        const std::string_view taken = rest_.substr(0, failed_ ? 0 : count);
        rest_.remove_prefix(taken.size());
        return taken;
    }

    std::int64_t number(std::size_t width) {
        const std::string_view bytes = take(width);
        if (bytes.empty()) return 0;
        std::uint64_t value = (bytes.front() & 0x80) != 0 ? ~std::uint64_t{0} : 0;
        for (const char c : bytes) value = value << 8 | static_cast<std::uint8_t>(c);
        return static_cast<std::int64_t>(value);
    }

    std::size_t count() {
        const std::int64_t value = number(4);
        if (value < 0 || value > static_cast<std::int64_t>(kLargestFile)) failed_ = true;
        return failed_ ? 0 : static_cast<std::size_t>(value);
    }

    std::string_view rest() const { return rest_; }
    bool failed() const { return failed_; }

private:
    std::string_view rest_;
    bool failed_ = false;
};

struct Header {
    char version = '\0';
    std::size_t universal = 0, standard = 0, leaps = 0, changes = 0, kinds = 0, letters = 0;

    std::size_t body(std::size_t width) const {
        return changes * (width + 1) + kinds * 6 + letters + leaps * (width + 4) + standard + universal;
    }
};

std::optional<Header> read_header(ByteReader& reader) {
    Header header;
    if (reader.take(kMagic.size()) != kMagic) return std::nullopt;
    const std::string_view rest = reader.take(16);
    if (!rest.empty()) header.version = rest.front();
    for (std::size_t* count :
         {&header.universal, &header.standard, &header.leaps, &header.changes, &header.kinds, &header.letters}) {
        *count = reader.count();
    }
    if (reader.failed() || header.kinds == 0 || header.kinds > 256) return std::nullopt;
    return header;
}

}  // namespace

std::optional<TimeZone> TimeZone::find(const std::string& name) {
    if (!is_name(name)) return std::nullopt;
    std::ifstream file(name == kLocalZone ? kLocalFile : std::string(kFolder) + name, std::ios::binary);
    std::string bytes(kLargestFile, '\0');
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
    return parse(bytes);
}

std::optional<TimeZone> TimeZone::parse(std::string_view file) {
    ByteReader reader(file);
    auto header = read_header(reader);
    if (!header) return std::nullopt;
    const std::size_t width = header->version >= '2' ? 8 : 4;
    if (width == 8) {
        reader.take(header->body(4));
        header = read_header(reader);
        if (!header) return std::nullopt;
    }
    TimeZone zone;
    zone.changes_.resize(header->changes);
    for (Change& change : zone.changes_) change.at = reader.number(width);
    for (Change& change : zone.changes_) change.kind = static_cast<std::uint8_t>(reader.number(1));
    for (std::size_t i = 0; i < header->kinds; ++i) {
        zone.offsets_.emplace_back(reader.number(4));
        reader.take(2);
    }
    reader.take(header->letters + header->leaps * (width + 4) + header->standard + header->universal);
    const bool sound = std::ranges::all_of(zone.changes_, [&](const Change& c) { return c.kind < header->kinds; }) &&
                       std::ranges::is_sorted(zone.changes_, {}, &Change::at);
    if (reader.failed() || !sound) return std::nullopt;
    std::string_view rule = reader.rest();
    if (width == 8 && rule.size() > 2 && rule.front() == '\n' && rule.back() == '\n') {
        zone.rule_ = ZoneRule::parse(rule.substr(1, rule.size() - 2));
        if (!zone.rule_) return std::nullopt;
    }
    return zone;
}

Seconds TimeZone::offset_at(Instant t) const {
    const auto next = std::ranges::upper_bound(changes_, epoch_seconds(t), {}, &Change::at);
    if (next == changes_.end() && rule_) return rule_->offset_at(t);
    return next == changes_.begin() ? offsets_.front() : offsets_[std::prev(next)->kind];
}

}  // namespace ratectl::support
