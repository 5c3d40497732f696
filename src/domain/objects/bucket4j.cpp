// Reads the bytes of bucket4j.
#include "domain/objects/stored_objects.h"

#include <algorithm>

namespace ratectl::domain::objects {
namespace {

/// As Java writes numbers.
class Bytes {
public:
    explicit Bytes(std::string_view bytes) : rest_(bytes) {}

    /// The next so many bytes as a number; 0 behind the end, where ok() is false.
    std::int64_t next(std::size_t size) {
        ok_ = ok_ && rest_.size() >= size;
        std::uint64_t number = 0;
        for (const char c : rest_.substr(0, size)) number = number << 8U | static_cast<unsigned char>(c);
        rest_.remove_prefix(std::min(size, rest_.size()));
        return ok_ ? static_cast<std::int64_t>(number) : 0;
    }
    void skip(std::size_t size) {
        ok_ = ok_ && rest_.size() >= size;
        rest_.remove_prefix(std::min(size, rest_.size()));
    }
    bool expect(std::size_t size, std::int64_t number) { return next(size) == number && ok_; }
    bool ok() const { return ok_; }

private:
    std::string_view rest_;
    bool ok_ = true;
};

std::optional<Bandwidth> next_settings(Bytes& bytes) {
    Bandwidth one;
    if (!bytes.expect(4, 1)) return std::nullopt;
    one.capacity = bytes.next(8);
    bytes.skip(8);  // how many there are at first
    one.period_ns = bytes.next(8);
    one.refill = bytes.next(8);
    one.at_once = bytes.next(1) != 0;
    bytes.skip(8 + 1);
    if (bytes.next(1) != 0) bytes.skip(static_cast<std::size_t>(bytes.next(2)));
    const bool usual = one.capacity >= 1 && one.period_ns >= 1 && one.refill >= 1;
    return bytes.ok() && usual ? std::optional{one} : std::nullopt;
}

}  // namespace

std::optional<std::vector<Bandwidth>> bucket4j_in(std::string_view text) {
    constexpr std::int64_t most = 64;
    constexpr std::int64_t state_of_longs = 3;
    Bytes bytes(text);
    const auto format = bytes.next(4);
    if ((format != 1 && format != 2) || !bytes.expect(4, 1)) return std::nullopt;
    const auto count = bytes.next(4);
    if (count < 1 || count > most) return std::nullopt;
    std::vector<Bandwidth> all;
    for (std::int64_t i = 0; i < count; ++i) {
        const auto one = next_settings(bytes);
        if (!one) return std::nullopt;
        all.push_back(*one);
    }
    if (!bytes.expect(4, state_of_longs) || !bytes.expect(4, 1) || !bytes.expect(4, 3 * count)) return std::nullopt;
    for (auto& one : all) {
        one.last_ns = bytes.next(8);
        one.tokens = bytes.next(8);
        bytes.skip(8);  // what rounding has left over
    }
    return bytes.ok() ? std::optional{std::move(all)} : std::nullopt;
}

}  // namespace ratectl::domain::objects
