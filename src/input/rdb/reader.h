// Reads a dump file (RDB) of Redis 2.8 to 8 or Valkey key by key: strings exactly, every other type passed over by its
// structure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/write.h"
#include "input/byte_source.h"
#include "input/rdb/bytes.h"
#include "input/rdb/values.h"
#include "support/time.h"

namespace ratectl::input {

/// What a file says about itself before its first key. Format 6 says nothing.
struct RdbFacts {
    int format = 0;
    bool valkey_format = false;  // the header says VALKEY (80 and above)
    std::string server;          // `redis 7.0.15`, `valkey 8.0.1`; empty: unknown
    std::optional<support::Instant> written_at;
    bool aof_preamble = false;  // the commands of an append-only file follow behind its end
};

/// Everything that a file may hold and that we know: formats up to here (newer ones are read as far as they are
/// understood).
inline constexpr int kNewestRdbFormat = 12;
inline constexpr int kOldestRdbFormat = 6;
inline constexpr int kNewestValkeyFormat = 81;

class RdbReader {
public:
    /// No key may be longer to be read; of a longer one only its length is known.
    static constexpr std::size_t kLongestKey = 65'535;
    /// Of a longer string only so much is read.
    static constexpr std::size_t kLongestValue = domain::kMostOfValue;

    struct Key {
        std::uint64_t db = 0;
        std::string_view key;                       // until next_key() is called again
        bool too_long = false;                      // `key` is only its beginning
        std::optional<std::int64_t> expires_at_ms;  // epoch
        bool is_string = false;
    };
    struct Value {
        std::string_view bytes;  // of a string; until the reader is used again
        std::string_view type;   // as the command TYPE says it
    };

    /// Reads up to the first key. Every call throws Failure (local_io) that names file and byte for bytes that are
    /// damaged, cut off, or of a kind that cannot be passed over; all keys before were right as far as can be told
    /// without the checksum.
    explicit RdbReader(ByteSource& source);

    const RdbFacts& facts() const { return facts_; }
    /// The next key of any type and db; null at the end, where the checksum has been verified. Passes a value that was
    /// not read.
    const Key* next_key();
    /// The value of the key just given, once.
    Value read_value();

    std::uint64_t offset() const { return bytes_.offset(); }
    /// After the end: false where the server was told to write none.
    bool has_checksum() const { return has_checksum_; }
    /// After the end: something follows it that was not read.
    bool has_more() { return !bytes_.at_end(); }

private:
    void read_header();
    void read_aux();
    /// True when `code` was an opcode and has been read; false: it is a type.
    bool take_opcode(std::uint8_t code);
    bool take_module_opcode(std::uint8_t code);
    void take_key(std::uint8_t code);
    void skip_value();
    void finish();

    RdbBytes bytes_;
    RdbFacts facts_;
    Key current_;
    std::string key_;
    std::string value_;
    std::string module_name_;
    const RdbType* pending_ = nullptr;  // the type of a value that has not been read
    bool pending_is_module_ = false;
    bool ended_ = false;
    bool has_checksum_ = true;
};

}  // namespace ratectl::input
