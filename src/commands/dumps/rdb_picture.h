// One dump file as the windows that a server holding it would show: both parts joined, of one db, at the moment of the
// picture.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/dumps/rdb_pairs.h"
#include "domain/limiter.h"
#include "domain/window.h"
#include "input/rdb/reader.h"
#include "store/store.h"
#include "support/time.h"

namespace ratectl::commands {

struct PictureOptions {
    const domain::Limiter& limiter;   // of the windows in it
    std::optional<std::uint64_t> db;  // null: the first one that has windows
    std::string secret;               // for the table of parts
};

class RdbPicture {
public:
    /// Reads what stands before the first key. The question outlives the picture; of it count glob, depth,
    /// orphan_counters and worth_a_look. Throws Failure (local_io), as fill() does, for a file that is none, damaged,
    /// cut off, or whose checksum is wrong.
    RdbPicture(std::unique_ptr<input::ByteSource> source, PictureOptions options, const store::ScanQuestion& question);

    const input::RdbFacts& facts() const { return reader_.facts(); }
    /// Before fill(): keys that had expired by then are gone, as on the server; TTLs count from it.
    void set_moment(support::WallTime moment) {
        moment_ms_ = std::max<std::int64_t>(moment.time_since_epoch().count(), 0);
    }

    /// Overwrites the looks one after the other, their strings reused, until all are or the file has no more; returns
    /// how many that were, as filled() does where it throws. What is left of the vector is as it was.
    std::size_t fill(std::vector<domain::WindowLook>& looks);
    std::size_t filled() const { return filled_; }

    /// After the end.
    std::uint64_t db() const { return db_; }
    bool found_windows() const { return anchors_ > 0; }
    std::optional<std::uint64_t> other_db() const { return other_db_; }  // with windows that were not shown
    std::uint64_t keys_too_long() const { return keys_too_long_; }
    std::uint64_t cut_values() const { return cut_values_; }  // of which less was kept than a server would show
    /// Windows that were left out: no dump shows those of their limiters.
    std::uint64_t unreadable() const { return unreadable_; }
    bool has_checksum() const { return reader_.has_checksum(); }
    bool has_more() { return reader_.has_more(); }
    std::size_t memory() const { return pairs_.memory(); }

private:
    using Part = RdbPairs::Part;
    using Which = RdbPairs::Which;

    bool is_ours(const input::RdbReader::Key& key);
    bool is_of_our_db(const input::RdbReader::Key& key);
    bool is_second_name(std::string_view key) const { return options_.limiter.part_of(key).has_value(); }
    /// Whether this window is two keys.
    bool is_pair(std::string_view window) const { return in_pairs_ && options_.limiter.of(window).parts().size() > 1; }
    bool wants(std::string_view window) const;
    /// A key on its way from the file to the table, where several are looked up at once.
    struct Arrived {
        std::string window;  // of which it is a key
        std::string value;
        bool is_string = false;
        bool is_second = false;
        bool wanted = false;
        std::uint8_t type = 0;
        std::optional<std::int64_t> expires_at_ms;
        std::uint32_t hash = 0;
    };

    /// False at the end of the file.
    bool read_arrivals();
    /// True when the key may be part of a wanted window, and is kept.
    bool arrive(const input::RdbReader::Key& key, Arrived& arrived);
    /// True when `look` now holds a window.
    bool join(const Arrived& arrived, domain::WindowLook& look);
    bool take_incomplete(const RdbPairs::Window& window, domain::WindowLook& look) const;
    bool show(std::string_view key, const std::optional<Part>& first, const std::optional<Part>& second,
              domain::WindowLook& look) const;
    void put(const std::optional<Part>& part, bool fully, domain::StoredKey& look) const;
    std::uint8_t number_of(std::string_view type);

    std::unique_ptr<input::ByteSource> source_;
    input::RdbReader reader_;
    PictureOptions options_;
    const store::ScanQuestion& question_;
    bool in_pairs_;  // some windows are two keys
    bool full_;
    std::string glob_prefix_;
    bool prefix_is_all_;  // the glob is that prefix and a star
    std::int64_t moment_ms_ = 0;

    RdbPairs pairs_;
    std::vector<Arrived> arrivals_;
    std::size_t arrived_ = 0;                  // of arrivals_
    std::size_t joined_ = 0;                   // of those
    std::optional<support::Failure> failure_;  // comes after what arrived before it
    std::vector<std::string> types_{"string"};
    std::uint64_t db_ = 0;  // that is read
    std::optional<std::uint64_t> other_db_;
    std::uint64_t anchors_ = 0;
    std::uint64_t keys_too_long_ = 0;
    std::uint64_t cut_values_ = 0;
    std::uint64_t unreadable_ = 0;
    std::size_t filled_ = 0;
    bool read_to_end_ = false;
};

}  // namespace ratectl::commands
