// A window is shown as soon as its second half is read; what has lost its other half comes at the end of the file.
#include "commands/rdb_picture.h"

#include <algorithm>

#include <fmt/format.h>

#include "domain/key_template.h"
#include "domain/operation.h"

namespace ratectl::commands {
namespace {

constexpr std::string_view kNoType = "none";
constexpr std::int64_t kNoTtl = -1;
constexpr std::int64_t kAbsent = -2;

/// Keeps the storage of a string that is there already.
void assign(std::optional<std::string>& text, std::string_view bytes) {
    if (!text) text.emplace();
    text->assign(bytes);
}

}  // namespace

RdbPicture::RdbPicture(std::unique_ptr<input::ByteSource> source, PictureOptions options,
                       const store::ScanQuestion& question)
    : source_(std::move(source)),
      reader_(*source_),
      options_(std::move(options)),
      question_(question),
      full_(question.depth == domain::LookDepth::full),
      glob_prefix_(domain::literal_prefix(question.glob)),
      prefix_is_all_(question.glob == domain::escape_glob(glob_prefix_) + "*"),
      halves_(options_.secret),
      db_(options_.db.value_or(0)) {}

std::size_t RdbPicture::fill(std::vector<domain::WindowLook>& looks) {
    filled_ = 0;
    while (filled_ < looks.size() && !read_to_end_) {
        const auto* key = reader_.next_key();
        if (key == nullptr) {
            read_to_end_ = true;
        } else if (is_ours(*key) && take(*key, looks[filled_])) {
            ++filled_;
        }
    }
    while (filled_ < looks.size()) {
        const auto window = halves_.next_incomplete();
        if (!window) break;
        if (take_incomplete(*window, looks[filled_])) ++filled_;
    }
    return filled_;
}

bool RdbPicture::is_ours(const input::RdbReader::Key& key) {
    if (!is_of_our_db(key)) return false;
    // The server would not have shown it either.
    if (key.expires_at_ms && *key.expires_at_ms < moment_ms_) return false;
    if (key.too_long) ++keys_too_long_;
    return !key.too_long && !domain::is_reserved_key(key.key);
}

// Dbs come one after the other; until one of them has shown that it has windows, any may be it.
bool RdbPicture::is_of_our_db(const input::RdbReader::Key& key) {
    if (key.db == db_) return true;
    if (!options_.db && anchors_ == 0) {
        halves_.clear();
        db_ = key.db;
        return true;
    }
    if (!other_db_ && is_expiry_half(key.key)) other_db_ = key.db;
    return false;
}

bool RdbPicture::wants(std::string_view window) const {
    if (!window.starts_with(glob_prefix_)) return false;
    return prefix_is_all_ || domain::glob_matches(question_.glob, window);
}

bool RdbPicture::take(const input::RdbReader::Key& key, domain::WindowLook& look) {
    const bool is_expiry = is_expiry_half(key.key);
    if (is_expiry) ++anchors_;
    const std::string_view window = is_expiry ? without_suffix(key.key) : key.key;
    const bool wanted = wants(window);
    // K:exp is also the counter of K:exp:exp, should there be such a key.
    if (!wanted && !(is_expiry && wants(key.key))) return false;
    if (!full_ && !key.is_string && !is_expiry) return false;
    const auto value = reader_.read_value();
    Half half;
    if (key.is_string) {
        half.value = value.bytes;
    } else if (full_) {
        half.type = number_of(value.type);
    }
    half.expires_at_ms = key.expires_at_ms;
    Half other;
    switch (halves_.add(window, is_expiry ? Which::expiry : Which::counter, half, other)) {
        case RdbHalves::Added::second:
            return wanted && (is_expiry ? show(window, other, half, look) : show(window, half, other, look));
        case RdbHalves::Added::twice:
            throw support::Failure(support::ExitCode::local_io,
                                   fmt::format("{}: damaged before byte {}: the key '{}' occurs twice", source_->name(),
                                               reader_.offset(), key.key),
                                   "no server writes a key twice: the rows of everything before may be wrong");
        default:
            return false;
    }
}

bool RdbPicture::take_incomplete(const RdbHalves::Window& window, domain::WindowLook& look) const {
    if (!wants(window.key)) return false;
    if (!window.expiry) {
        return question_.orphan_counters && question_.orphan_counters(window.key) &&
               show(window.key, window.counter, window.expiry, look);
    }
    if (!is_expiry_half(window.key)) return show(window.key, window.counter, window.expiry, look);
    return show(window.key, halves_.find(without_suffix(window.key), Which::expiry), window.expiry, look);
}

bool RdbPicture::show(std::string_view key, const std::optional<Half>& counter, const std::optional<Half>& expiry,
                      domain::WindowLook& look) const {
    const bool has_counter = counter && counter->value;
    if (!full_) {
        if (!has_counter && !(expiry && expiry->value)) return false;
        if (question_.worth_a_look && !(has_counter && question_.worth_a_look(key, *counter->value))) return false;
    }
    look.key.assign(key);
    look.depth = question_.depth;
    put(counter, look.counter);
    put(expiry, look.expiry);
    return true;
}

void RdbPicture::put(const std::optional<Half>& half, domain::HalfLook& look) const {
    if (half && half->value) {
        assign(look.value, *half->value);
    } else {
        look.value.reset();
    }
    look.expires_at_ms.reset();
    if (!full_) {
        look.type.reset();
        look.ttl_ms.reset();
        return;
    }
    assign(look.type, half ? std::string_view(types_[half->type]) : kNoType);
    look.ttl_ms = half ? kNoTtl : kAbsent;
    if (!half || !half->expires_at_ms) return;
    look.ttl_ms = std::max<std::int64_t>(*half->expires_at_ms - moment_ms_, 0);
    look.expires_at_ms = half->expires_at_ms;
}

std::uint8_t RdbPicture::number_of(std::string_view type) {
    auto found = std::find(types_.begin(), types_.end(), type);
    if (found == types_.end()) {
        // So many modules there are not; what comes after them shares the last name.
        if (types_.size() > UINT8_MAX) return UINT8_MAX;
        found = types_.emplace(types_.end(), type);
    }
    return static_cast<std::uint8_t>(found - types_.begin());
}

}  // namespace ratectl::commands
