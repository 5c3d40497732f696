// What every write of a window on memcached servers does the same way: it looks, takes steps, and says what became of
// it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <asio/awaitable.hpp>

#include "memcached/commands.h"
#include "store/memcached/looks.h"
#include "store/memcached/servers.h"
#include "store/memcached/window_writer.h"

namespace ratectl::store::memcached {

struct Step {
    enum class Kind { add, take, create, replace, remove };

    Kind kind = Kind::add;
    std::string key;                           // of the server, not of the window
    std::uint64_t version = 0;                 // of all but create
    std::int64_t amount = 0;                   // add, take
    std::string value = {};                    // create, replace
    std::optional<std::int64_t> expires = {};  // create, replace: an epoch second of the server's clock
    bool same_will_do = false;  // that value there is what is wanted, no matter which program put it there
};

struct Stepped {
    enum class End {
        done,
        changed,       // the key is another one than was looked at, or is gone, or is there: nothing was written
        not_a_number,  // nothing was written
        failed,        // nothing was written, and nothing will be
        unknown        // it may have been written
    };
    End end = End::done;
    bool resolved = false;                   // the reply was lost, and what had happened was found out
    std::optional<redis::Fault> fault = {};  // failed, unknown
};

/// Sends it once. A command that may have been carried out is never sent again, but create, which then does nothing.
asio::awaitable<Stepped> carry_out(std::shared_ptr<Servers> servers, std::size_t server, Step step);

inline constexpr std::size_t kCounterKey = 0;
inline constexpr std::size_t kEndingKey = 1;

/// One window as it was just looked at.
struct Seen {
    domain::WindowLook look;
    std::array<std::uint64_t, kParts> versions{};
    std::optional<std::int64_t> used;
    std::optional<support::Instant> end;
    bool corrupt = false;

    bool has_counter() const { return versions[kCounterKey] != 0; }
    bool has_end() const { return versions[kEndingKey] != 0; }
    bool is_open(support::Moment now) const { return end && *end >= now; }
    StoredWindow stored() const { return domain::stored_window(look); }
};

/// One write of one window, step by step. It lives in the coroutine that writes.
class WindowWork {
public:
    WindowWork(Task task, KeyAt at);

    /// False: `result` says why.
    asio::awaitable<bool> look();
    /// True: done. False: `again()` says whether it is worth another look; if not, `result` says why.
    asio::awaitable<bool> step(std::size_t part, const Step& asked);
    /// After a step that was not done.
    bool again() const { return again_; }

    void refuse(std::string_view word);
    void applied(StoredWindow after);
    void too_busy();
    /// Between two steps another program did what makes the first one's effect uncertain.
    void crossed(std::string_view how);
    /// When the two keys are to go is still to come, by their servers' clocks.
    asio::awaitable<bool> lasts(support::Instant end);
    support::WallTime now() const { return task_.servers->core().now(); }

    Seen seen;
    WriteResult result;

private:
    std::string worded(const std::string& words) const;
    void give_up(const redis::Fault& fault, std::size_t server);
    void be_unknown(support::Error why);
    /// One of the two keys was written, and the other one was not: that is no `nothing was written`.
    void half_done();

    Task task_;
    KeyAt at_;
    bool wrote_ = false;
    bool again_ = false;
};

}  // namespace ratectl::store::memcached
