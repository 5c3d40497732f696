// What a limiter's keys mean: one implementation per layout of keys behind this interface. `window` is the default.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/limiter.h"
#include "domain/operation.h"
#include "domain/window.h"
#include "domain/write.h"
#include "redis/element_receiver.h"
#include "redis/reply.h"
#include "redis/request.h"
#include "redis/script.h"
#include "redis/server_facts.h"
#include "schemes/write_answer.h"
#include "support/error.h"

namespace ratectl::schemes {

/// What a write's script call carries beside its windows.
struct CallHead {
    /// Null: no operation key is written, so the same call again would write again.
    std::optional<domain::SliceId> id = {};
    std::optional<std::int64_t> deadline_ms = {};  // on the server's clock; later than that nothing is written
    std::string fingerprint;                       // of what is asked for; another one under the same id is refused
    std::string actor;
    std::string host;
    std::string reason;
    /// The call that this one takes back, as far as that has not been done; null: it is no undo.
    std::optional<domain::SliceId> undoes = {};
    /// It may come again: the operation key is written also where no window is, and answers that again.
    bool repeatable = false;
};

using domain::kMostOfValue;

/// All that a layout of keys has of its own. Beside what the keys mean, the other half of every operation: requests
/// out, replies in. Pure: no sockets, no clock. Decoding is total: any reply gives a value or an error that says what
/// was wrong with it.
class Scheme : public domain::Limiter {
public:
    using Look = support::Result<domain::WindowLook>;
    using Looks = std::vector<Look>;

    const Scheme& of(std::string_view /*key*/) const override { return *this; }

    // ---- looks
    /// Appends the commands that look at these keys, the halves of each in one atomic unit (light: all keys in one;
    /// expiries: only the values).
    virtual void ask_looks(redis::Request& request, std::span<const std::string> keys, domain::LookDepth depth,
                           const redis::ServerFacts& facts) const = 0;
    /// How many replies ask_looks() brings.
    virtual std::size_t look_replies(std::span<const std::string> keys, domain::LookDepth depth,
                                     const redis::ServerFacts& facts) const = 0;
    /// One look a key, written over what `looks` holds: its strings keep their memory, so that a million looks allocate
    /// nothing. Error replies are the caller's to sort out beforehand.
    virtual void decode_looks(std::span<const std::string> keys, std::span<const redis::Reply> replies,
                              domain::LookDepth depth, const redis::ServerFacts& facts,
                              std::span<Look> looks) const = 0;
    /// Takes the values of light looks as they come, in the place of their one reply: all of a look but its key. The
    /// looks outlive it. Null: of this scheme a light look is no such list of values.
    class LightLooks : public redis::ElementReceiver {
    public:
        LightLooks() : ElementReceiver(1, kMostOfValue) {}
        /// Every look has come, and is sound.
        virtual bool complete() const = 0;
    };
    virtual std::unique_ptr<LightLooks> receive_light_looks(std::span<domain::WindowLook> looks) const = 0;
    /// The same for callers that can use all of them or none: false when one of them is odd.
    virtual bool decode_looks(std::span<const std::string> keys, std::span<const redis::Reply> replies,
                              domain::LookDepth depth, const redis::ServerFacts& facts,
                              std::span<domain::WindowLook> looks) const = 0;
    Looks decode_looks(std::span<const std::string> keys, std::span<const redis::Reply> replies,
                       domain::LookDepth depth, const redis::ServerFacts& facts = {}) const;
    /// The same through Lua, as the application's script sees the keys (full depth): a call a kind of limiter, and a
    /// reply a call.
    virtual std::vector<redis::ScriptCall> script_look_calls(std::span<const std::string> keys) const = 0;
    virtual void decode_script_looks(std::span<const std::string> keys, std::span<const redis::Reply> replies,
                                     std::span<Look> looks) const = 0;
    Looks decode_script_looks(std::span<const std::string> keys, std::span<const redis::Reply> replies) const;

    // ---- writes: one call for up to 100 windows of one shard and of one kind of limiter, a key once per call. The
    // operation key is the call's last one.
    virtual redis::ScriptCall count_call(std::span<const domain::CountItem* const> items,
                                         const CallHead& head) const = 0;
    virtual redis::ScriptCall refund_call(std::span<const domain::RefundItem* const> items,
                                          const CallHead& head) const = 0;
    virtual redis::ScriptCall reset_call(std::span<const domain::ResetItem* const> items,
                                         const CallHead& head) const = 0;
    virtual redis::ScriptCall restore_call(std::span<const domain::RestoreItem* const> items,
                                           const CallHead& head) const = 0;
    virtual redis::ScriptCall repair_call(std::span<const domain::RepairItem* const> items,
                                          const CallHead& head) const = 0;

    /// Of a layout whose keys take what people say; else it throws Failure (bug).
    virtual redis::ScriptCall put_call(std::span<const domain::PutItem* const> /*items*/,
                                       const CallHead& /*head*/) const {
        throw support::Failure(support::ExitCode::bug, "this layout holds nothing that people say");
    }

    // ---- sweeps
    /// The SCAN pattern that finds one key of every window whose K matches the glob; orphans: of both halves.
    virtual std::string scan_pattern(std::string_view glob, bool orphans) const = 0;
    /// What a name that SCAN returned is to a window.
    struct Scanned {
        std::string_view window;   // K: what the name begins with, all of it unless it is a scan key
        bool is_scan_key = false;  // it is the half that sweeps start from
    };
    /// Null when it is no half of a window here (an operation key, or another layout's).
    virtual std::optional<Scanned> scanned_as(std::string_view name) const = 0;
    /// Appends to a command, as an argument, the name that is this window's scan key.
    virtual void add_anchor(redis::Request& request, std::string_view key) const = 0;
    /// Of the keys of a window that a sweep meets, one alone stands for it: whether it is the one that led to this
    /// look. `scan_key`: it was a scan key. `by_name`: the sweep looks at what stands beside scan keys, not at what
    /// they are named after; of what shows none to a light look that is not known, and the answer is yes.
    virtual bool is_its_sighting(const domain::WindowLook& look, bool scan_key, bool by_name) const = 0;
};

}  // namespace ratectl::schemes
