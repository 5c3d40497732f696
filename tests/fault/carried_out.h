// Which writes on the wire are more than the question whether the server knows a script.
#pragma once

#include <functional>
#include <utility>

#include "support/fault_proxy.h"
#include "support/redis_server.h"
#include "support/resp_frame.h"

namespace ratectl::test {

/// A write that this server carries out when it arrives: its script is in it, or known there.
inline bool is_carried_out(RedisServer& server, const LinkRequest& request) {
    if (!request.write) return false;
    const auto words = first_words(request.bytes, 2);
    return request.word == "EVAL" || (words.size() == 2 && server.command({"SCRIPT", "EXISTS", words[1]}) == "1");
}

/// The next write that the server would carry out meets this, `what` having been done just before; everything else
/// passes.
inline FaultProxy::Chooser at_next_write_to(RedisServer& server, std::function<void()> what, const LinkFault& fault) {
    return [&server, what = std::move(what), fault, done = false](const LinkRequest& request) mutable {
        if (done || !is_carried_out(server, request)) return LinkFault{};
        done = true;
        if (what) what();
        return fault;
    };
}

}  // namespace ratectl::test
