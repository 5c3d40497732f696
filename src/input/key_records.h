// What the formats of key rows share: lines, positions and the strict reading of fields.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "input/key_rows.h"
#include "input/line_reader.h"

namespace ratectl::input {

/// The fields that a row is about, and their names.
enum KeyRowField : std::size_t {
    kKey,
    kKeyBase64,
    kClient,
    kAmount,
    kResetAt,
    kUsed,
    kRemaining,
    kState,
    kStoredUsed,
    kStoredUsedBase64,
    kStoredResetAt,
    kStoredResetAtBase64,
    kCounter,
    kCounterBase64,
    kExpiry,
    kExpiryBase64,
    kShard,
    kNode,
    kOrganisation,
    kDeployment,
    kLayout,
    kActor,
    kActorBase64,
    kKeyRowFields
};
inline constexpr std::array<std::string_view, kKeyRowFields> kKeyRowNames{
    "key",       "key_b64",     "client",      "amount",          "reset_at",        "used",
    "remaining", "state",       "stored_used", "stored_used_b64", "stored_reset_at", "stored_reset_at_b64",
    "counter",   "counter_b64", "expiry",      "expiry_b64",      "shard",           "node",
    "org",       "deployment",  "layout",      "actor",           "actor_b64"};

/// What some editors begin a text of UTF-8 with.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

class KeyRowReader::Records {
public:
    Records(ByteSource& source, char separator);
    virtual ~Records() = default;
    /// False at the end. The row may hold another one.
    virtual bool next(KeyRow& row) = 0;
    bool ready() { return lines_.ready(); }
    virtual std::uint64_t line() const { return lines_.line(); }

protected:
    const std::string& name() const { return lines_.name(); }
    /// False where NULs end the records.
    bool are_lines() const { return are_lines_; }
    /// Whether the last one ended with the source and not with its separator.
    bool unended() const { return lines_.unended(); }
    /// The next line, the first one without a byte order mark.
    std::optional<std::string_view> next_line();
    [[noreturn]] void bad(const std::string& what, const std::string& hint = {}) const;
    /// A strict decimal of at most 2^53 - 1 either way, or bad().
    std::int64_t amount_of(std::string_view text) const;
    support::Instant reset_of(std::string_view text) const;
    std::string bytes_of_base64(KeyRowField field, std::string_view text) const;
    /// `has(field)`: the row has it, empty or not.
    template <class Has>
    static bool is_look(const SeenWindow& seen, Has has) {
        return seen.names_nothing() && (has(kUsed) || has(kRemaining) || has(kResetAt));
    }
    /// What was seen beside a reset_at. `has(field)`: the row tells it; `text(field)`: what, null for nothing.
    template <class Has, class Text>
    void take_seen(SeenWindow& seen, Has has, Text text) const {
        seen.state = text(kState).value_or("");
        const auto shard = text(kShard);
        seen.shard = shard.value_or("");
        seen.is_placed = shard || text(kNode);
        seen.layout = text(kLayout).value_or("");
        seen.stored.reset();
        const bool by_finding = !has(kStoredUsed) && has(kCounter);
        const auto used = by_finding ? kCounter : kStoredUsed;
        const auto reset = by_finding ? kExpiry : kStoredResetAt;
        if (!has(used) || !has(reset)) return;
        const auto bytes_of = [&](KeyRowField field) {
            const auto base64 = text(KeyRowField(field + 1));
            return base64 && !base64->empty() ? bytes_of_base64(KeyRowField(field + 1), *base64) : text(field);
        };
        seen.stored = domain::StoredWindow{bytes_of(used), bytes_of(reset), {}};
    }
    /// Beside an actor that is no text stands what it is.
    template <class Text>
    std::optional<std::string> actor_of(Text text) const {
        auto actor = text(kActor);
        const auto base64 = text(kActorBase64);  // null where the text is exact, which it has shown by then
        return base64 && !base64->empty() ? bytes_of_base64(kActorBase64, *base64) : actor;
    }
    /// bad() when the row names nothing, neither by key nor client nor actor, or beside a client an organisation, whose
    /// window it would leave out.
    void check(const KeyRow& row, bool has_organisation) const;

private:
    LineReader lines_;
    bool are_lines_;
};

std::unique_ptr<KeyRowReader::Records> make_ndjson_records(ByteSource& source);
std::unique_ptr<KeyRowReader::Records> make_json_records(ByteSource& source);
std::unique_ptr<KeyRowReader::Records> make_csv_records(ByteSource& source);
std::unique_ptr<KeyRowReader::Records> make_tsv_records(ByteSource& source);

}  // namespace ratectl::input
