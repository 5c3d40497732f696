// What a write script said about its call and about each window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/operation.h"
#include "domain/write.h"
#include "redis/reply.h"
#include "schemes/packed.h"
#include "support/error.h"

namespace ratectl::schemes {

struct WriteAnswer {
    domain::WriteStatus status = domain::WriteStatus::refused;
    /// Why nothing was written, a stable word: `already-undone` (by another undo), `absent`, `no-window`,
    /// `window-changed`, `window-there`, `closed`, `used-too-low`, `nothing-to-take`, `nothing-to-count`,
    /// `nothing-to-repair`, `no-rate`, `below-zero`, `below-one`, `no-expiry`, `wrong-type`, `too-large`,
    /// `not-an-integer`, `overflow`, `reset-in-past`, `other-operation` (it ran without this window), `bad-argument`.
    /// Empty when applied.
    std::string reason;
    /// refused and window_changed: the reason in words, without the place.
    std::optional<support::Error> error;
    domain::StoredWindow before;  // its expiries: only where something was removed or replaced
    domain::StoredWindow after;
    std::int64_t taken = 0;  // refund: what was given back
};

enum class CallStatus {
    done,
    already,  // the operation key holds this very call: the windows as they were answered then, nothing written now;
              // those that were no part of it are refused (`other-operation`)
    late,     // the server's clock was past the deadline: this call wrote nothing (an earlier one may have)
    other_operation  // the operation key holds something else: nothing written
};

struct WriteAnswers {
    CallStatus status = CallStatus::done;
    std::int64_t server_time_ms = 0;  // when this was so; of `already`: when that call was carried out
    /// One answer a window, in the order of the call; none for late and other_operation.
    std::vector<WriteAnswer> windows;
};

/// Status and error for a script's word about one window; null for a word that no script says.
std::optional<WriteAnswer> answer_for_word(std::string_view word);
/// What a stored answer meant when it was fresh: `applied` is applied.
WriteAnswer answer_of(const domain::OperationRecord::WindowAnswer& stored);

/// Texts of an answer: key, word, used and reset before, used and reset after, taken, two expiries, state before and
/// after.
inline constexpr std::size_t kAnswerTexts = 11;

/// One window's answer as the write scripts pack it, into replies and operation keys alike: the key that is next in the
/// reader, and its answer into one that says nothing yet. Null when it is not exactly what a script writes.
std::optional<std::string_view> next_answer(PackedReader& reader, WriteAnswer& answer);

/// The answers to a call of a write script about the windows with these keys, in their order. An error means that the
/// reply is none of our script's.
support::Result<WriteAnswers> decode_writes(std::span<const std::string_view> keys, const redis::Reply& reply);

}  // namespace ratectl::schemes
