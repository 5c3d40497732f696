// Keeps keys in memory, then in a temporary file, as records of a fixed head and the bytes that it counts.
#include "commands/write/key_spool.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <thread>

namespace ratectl::commands {

namespace {

constexpr std::size_t kInMemory = 20'000;
constexpr std::size_t kPage = 1000;
constexpr std::size_t kReadAtOnce = 65'536;
constexpr std::uint64_t kMostAhead = 100'000;
/// Who writes whole rows does not rest as long as that between two of them; who tells of things as they happen does.
constexpr support::Milliseconds kPause{50};

/// A record is this, then the bytes of the key, of the halves that were seen and of the layout, then the shards.
constexpr std::int64_t kNoHalf = -1;

struct Record {
    std::uint64_t key_length = 0;
    std::uint64_t shard = 0;
    std::int64_t amount = 0;
    std::int64_t if_reset = 0;
    std::int64_t if_used = 0;
    bool has_used = false;
    bool has_amount = false;
    bool has_reset = false;
    bool misplaced = false;
    bool whole = false;
    bool may_come_again = false;
    bool has_stored = false;
    std::int64_t used_length = kNoHalf;  // of has_stored
    std::int64_t reset_length = kNoHalf;
    std::uint64_t layout_length = 0;
    std::int64_t state_length = kNoHalf;
    Home home = Home::known;
    std::uint64_t homes = 0;  // shards that follow the key
};

template <class T>
std::string_view bytes_of(const T* first, std::size_t count) {
    return {reinterpret_cast<const char*>(first), count * sizeof(T)};
}

}  // namespace

KeySpool::KeySpool(std::unique_ptr<PlannedKeys> source, std::string folder, const support::StopSignal& stop)
    : source_(std::move(source)),
      stop_(stop),
      file_(std::move(folder), "the list of keys", "TMPDIR names another folder"),
      counted_(source_->counted()) {}

void KeySpool::read_ahead(std::optional<std::uint64_t> count) {
    while (!counted_ && !ended_ && (!count || known_ < *count) && !stop_) take_page(from_source(kPage));
}

void KeySpool::read_what_comes() {
    if (counted_ || source_->is_sweep()) return;
    const bool given = source_->are_given();
    while (!ended_ && !broke_off_ && (given || (known_ < kMostAhead && !stop_ && comes_soon()))) {
        std::vector<PlannedKey> page;
        try {
            page = from_source(kPage);
        } catch (const support::Failure& failure) {
            if (failure.error().code == support::ExitCode::usage) throw;
            broke_off_ = std::current_exception();
        }
        take_page(std::move(page));
    }
    file_.flush();
}

bool KeySpool::comes_soon() const {
    for (support::Milliseconds waited{0}; source_->may_wait(); ++waited) {
        if (waited == kPause) return false;
        std::this_thread::sleep_for(support::Milliseconds{1});
    }
    return true;
}

std::vector<PlannedKey> KeySpool::from_source(std::size_t most) {
    auto keys = source_->next(most);
    ended_ = keys.empty() && (!stop_ || source_->are_given());
    known_ += keys.size();
    return keys;
}

void KeySpool::take_page(std::vector<PlannedKey> page) {
    for (auto& key : page) {
        ++per_shard_[key.shard];
        if (first_keys_.size() < kShownKeys) first_keys_.push_back(key.key);
        keep(std::move(key));
    }
}

WritePlan KeySpool::plan(const store::Directory& directory, CountedAs counted_as) const {
    WritePlan plan;
    plan.counted_as = counted_as;
    plan.keys = known();
    for (const auto& [shard, count] : counted_ ? counted_->per_shard : per_shard_)
        plan.keys_per_shard[directory.name_of(shard)] = count;
    plan.first_keys = counted_ ? counted_->first_keys : first_keys_;
    plan.more_to_come = !all_known();
    plan.named_one = all_known() && plan.count() == 1 && !source_->is_sweep();
    return plan;
}

std::vector<PlannedKey> KeySpool::next(std::size_t most, bool wholly, const std::function<void()>& before_waiting) {
    const bool all_given = given_ == memory_.size() && in_file_ == 0;
    if (broke_off_ && all_given) std::rethrow_exception(broke_off_);
    auto keys = some(most, before_waiting);
    try {
        while (wholly && !keys.empty() && keys.size() < most) {
            auto more = some(most - keys.size(), before_waiting);
            if (more.empty()) break;
            std::move(more.begin(), more.end(), std::back_inserter(keys));
        }
    } catch (const support::Failure&) {
        broke_off_ = std::current_exception();
    }
    return keys;
}

std::vector<PlannedKey> KeySpool::next_known(std::size_t most) {
    auto keys = kept(most);
    return keys.empty() && counted_ ? from_source(most) : keys;
}

/// What was read ahead.
std::vector<PlannedKey> KeySpool::kept(std::size_t most) {
    std::vector<PlannedKey> keys;
    keys.reserve(std::min(most, memory_.size() - given_));
    while (keys.size() < most && given_ < memory_.size()) keys.push_back(std::move(memory_[given_++]));
    if (!keys.empty()) return keys;
    memory_.clear();
    memory_.shrink_to_fit();
    given_ = 0;
    while (keys.size() < most && in_file_ > 0) keys.push_back(load());
    return keys;
}

std::vector<PlannedKey> KeySpool::some(std::size_t most, const std::function<void()>& before_waiting) {
    auto keys = kept(most);
    if (!keys.empty() || ended_ || broke_off_) return keys;
    if (before_waiting && source_->may_wait()) before_waiting();
    return from_source(most);
}

void KeySpool::keep(PlannedKey key) {
    if (memory_.size() < kInMemory) {
        memory_.push_back(std::move(key));
    } else {
        store(key);
    }
}

void KeySpool::store(const PlannedKey& key) {
    Record record;
    record.key_length = key.key.size();
    record.shard = key.shard;
    record.amount = key.amount.value_or(0);
    record.if_reset = key.if_reset ? support::epoch_seconds(*key.if_reset) : 0;
    record.has_amount = key.amount.has_value();
    record.has_reset = key.if_reset.has_value();
    record.if_used = key.if_used_at_least.value_or(0);
    record.has_used = key.if_used_at_least.has_value();
    record.misplaced = key.misplaced;
    record.whole = key.whole;
    record.may_come_again = key.may_come_again;
    record.home = key.home;
    record.homes = key.homes.size();
    record.has_stored = key.if_stored.has_value();
    const auto stored = key.if_stored.value_or(domain::StoredWindow{});
    if (stored.used) record.used_length = std::ssize(*stored.used);
    if (stored.reset_at) record.reset_length = std::ssize(*stored.reset_at);
    record.layout_length = key.layout.size();
    if (stored.state) record.state_length = std::ssize(*stored.state);
    file_.append(bytes_of(&record, 1));
    file_.append(key.key);
    for (const auto* text : {&stored.used, &stored.reset_at, &stored.state})
        if (*text) file_.append(**text);
    file_.append(key.layout);
    file_.append(bytes_of(key.homes.data(), key.homes.size()));
    ++in_file_;
}

PlannedKey KeySpool::load() {
    if (!reader_) {
        file_.flush();
        reader_.emplace(file_, support::TemporaryFile::Extent{0, file_.length()}, kReadAtOnce);
    }
    Record record;
    PlannedKey key;
    std::memcpy(&record, reader_->take(sizeof record).data(), sizeof record);
    key.key = reader_->take(record.key_length);
    const auto text_of = [this](std::int64_t length) {
        std::optional<std::string> text;
        if (length != kNoHalf) text = reader_->take(static_cast<std::size_t>(length));
        return text;
    };
    if (record.has_stored) {
        key.if_stored.emplace();
        key.if_stored->used = text_of(record.used_length);
        key.if_stored->reset_at = text_of(record.reset_length);
        key.if_stored->state = text_of(record.state_length);
    }
    key.layout = reader_->take(record.layout_length);
    key.shard = record.shard;
    if (record.has_amount) key.amount = record.amount;
    if (record.has_reset) key.if_reset = support::from_epoch(record.if_reset);
    if (record.has_used) key.if_used_at_least = record.if_used;
    key.misplaced = record.misplaced;
    key.whole = record.whole;
    key.may_come_again = record.may_come_again;
    key.home = record.home;
    key.homes.resize(record.homes);
    const auto homes = reader_->take(record.homes * sizeof(std::size_t));
    std::copy(homes.begin(), homes.end(), reinterpret_cast<char*>(key.homes.data()));
    --in_file_;
    return key;
}

}  // namespace ratectl::commands
