// One guarded command to a memcached server, and the truth about one whose reply was lost.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <asio/awaitable.hpp>

#include "memcached/commands.h"
#include "store/memcached/servers.h"

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

}  // namespace ratectl::store::memcached
