// Reads a dump file's windows: each is shown once its second part is read, lone parts at the end of the file.
#include "commands/dumps/rdb_picture.h"

#include <algorithm>

#include <fmt/format.h>

#include "domain/key_template.h"
#include "domain/operation.h"
#include "support/quote.h"

namespace ratectl::commands {
namespace {

constexpr std::string_view kNoType = "none";
constexpr std::size_t kArrivals = 32;
/// No counter is longer. What is, is no window, and most of it never will be shown: it is kept as servers show it only
/// while there is room.
constexpr std::size_t kShortValue = 256;
constexpr std::size_t kRoomForLong = std::size_t{512} << 20;

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
      in_pairs_(options_.limiter.parts().size() > 1),
      full_(question.depth == domain::LookDepth::full || !options_.limiter.reset_part()),  // the TTL is the end
      glob_prefix_(domain::literal_prefix(question.glob)),
      prefix_is_all_(question.glob == domain::escape_glob(glob_prefix_) + "*"),
      pairs_(options_.secret),
      arrivals_(kArrivals),
      db_(options_.db.value_or(0)) {}

std::size_t RdbPicture::fill(std::vector<domain::WindowLook>& looks) {
    filled_ = 0;
    while (filled_ < looks.size() && (joined_ < arrived_ || read_arrivals())) {
        if (join(arrivals_[joined_++], looks[filled_])) ++filled_;
    }
    while (filled_ < looks.size()) {
        const auto window = pairs_.next_incomplete();
        if (!window) break;
        if (take_incomplete(*window, looks[filled_])) ++filled_;
    }
    return filled_;
}

bool RdbPicture::read_arrivals() {
    if (failure_) throw support::Failure(*failure_);
    arrived_ = joined_ = 0;
    try {
        while (arrived_ < arrivals_.size() && !read_to_end_) {
            const auto* key = reader_.next_key();
            if (key == nullptr) {
                read_to_end_ = true;
            } else if (is_ours(*key) && arrive(*key, arrivals_[arrived_])) {
                pairs_.fetch_slot(arrivals_[arrived_++].hash);
            }
        }
    } catch (const support::Failure& failure) {
        if (arrived_ == 0) throw;
        failure_ = failure;
    }
    for (std::size_t i = 0; i < arrived_; ++i) pairs_.fetch_node(arrivals_[i].hash);
    return arrived_ > 0;
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
        pairs_.clear();
        arrived_ = 0;
        db_ = key.db;
        return true;
    }
    if (!other_db_ && (is_second_name(key.key) || !is_pair(key.key))) other_db_ = key.db;
    return false;
}

bool RdbPicture::wants(std::string_view window) const {
    if (!window.starts_with(glob_prefix_)) return false;
    return prefix_is_all_ || domain::glob_matches(question_.glob, window);
}

bool RdbPicture::arrive(const input::RdbReader::Key& key, Arrived& arrived) {
    const auto part = options_.limiter.part_of(key.key);
    arrived.is_second = part.has_value();
    arrived.window.assign(part ? part->stem : key.key).append(part ? part->ending : std::string_view());
    if (arrived.is_second || !is_pair(key.key)) ++anchors_;
    arrived.wanted = wants(arrived.window);
    // The second key of one window may be the first of another one.
    if (!arrived.wanted && !(arrived.is_second && wants(key.key))) return false;
    if (!options_.limiter.of(arrived.window).is_shown_by_dumps()) {
        if (arrived.wanted && !arrived.is_second) ++unreadable_;
        return false;
    }
    arrived.is_string = key.is_string;
    arrived.expires_at_ms = key.expires_at_ms;
    const auto value = reader_.read_value();
    arrived.value.assign(value.bytes);
    arrived.type = number_of(value.type);
    arrived.hash = pairs_.hash_of(arrived.window);
    return true;
}

bool RdbPicture::join(const Arrived& arrived, domain::WindowLook& look) {
    const std::string& window = arrived.window;
    Part part{std::nullopt, arrived.type, arrived.expires_at_ms};
    if (arrived.is_string) part.value = arrived.value;
    if (!is_pair(window)) return arrived.wanted && show(window, part, std::nullopt, look);
    if (arrived.value.size() > kShortValue && part.value && pairs_.memory() > kRoomForLong) {
        part.value = part.value->substr(0, kShortValue);
        ++cut_values_;
    }
    Part other;
    switch (pairs_.add(window, arrived.hash, arrived.is_second ? Which::second : Which::first, part, other)) {
        case RdbPairs::Added::second:
            return arrived.wanted &&
                   (arrived.is_second ? show(window, other, part, look) : show(window, part, other, look));
        case RdbPairs::Added::twice:
            throw support::Failure(
                support::ExitCode::local_io,
                fmt::format("{}: unreadable before byte {}: the key {} occurs twice", source_->name(), reader_.offset(),
                            support::quoted(options_.limiter.part_key(window, arrived.is_second ? 1 : 0))),
                "no server writes a key twice: the rows of everything before may be wrong");
        default: return false;
    }
}

bool RdbPicture::take_incomplete(const RdbPairs::Window& window, domain::WindowLook& look) const {
    if (!wants(window.key)) return false;
    if (!window.second) {
        return question_.orphan_counters && question_.orphan_counters(window.key) &&
               show(window.key, window.first, window.second, look);
    }
    const auto part = options_.limiter.part_of(window.key);
    if (!part) return show(window.key, window.first, window.second, look);
    return show(window.key, pairs_.find(part->key(), Which::second), window.second, look);
}

bool RdbPicture::show(std::string_view key, const std::optional<Part>& first, const std::optional<Part>& second,
                      domain::WindowLook& look) const {
    const bool has_first = first && first->value;
    const bool has_second = second && second->value;
    if (!full_) {
        if (!has_first && !has_second) return false;
        if (question_.worth_a_look && !question_.worth_a_look(key, has_first ? *first->value : std::string_view{}))
            return false;
    }
    look.key.assign(key);
    look.limiter = &options_.limiter.of(key);
    look.parts.resize(look.limiter->parts().size());
    // As sweeps of servers have it: of a half the full look tells what is in the place of the other one.
    const bool seems_half = look.parts.size() > 1 && !(has_first && has_second);
    look.depth = seems_half ? domain::LookDepth::full : question_.depth;
    put(first, full_ || seems_half, look.parts.front());
    if (look.parts.size() > 1) put(second, full_ || seems_half, look.parts.back());
    return true;
}

void RdbPicture::put(const std::optional<Part>& part, bool fully, domain::StoredKey& look) const {
    if (part && part->value) {
        assign(look.value, *part->value);
    } else {
        look.value.reset();
    }
    look.expires_at_ms.reset();
    if (!fully) {
        look.type.reset();
        look.ttl_ms.reset();
        return;
    }
    assign(look.type, part ? std::string_view(types_[part->type]) : kNoType);
    look.ttl_ms = part ? domain::kNoTtl : domain::kAbsent;
    if (!part || !part->expires_at_ms) return;
    look.ttl_ms = std::max<std::int64_t>(*part->expires_at_ms - moment_ms_, 0);
    look.expires_at_ms = part->expires_at_ms;
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
