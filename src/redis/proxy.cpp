// Knows the words of twemproxy and Envoy, and which commands they forward as scripts need it.
#include "redis/proxy.h"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "support/ascii.h"

namespace ratectl::redis {
namespace {

using support::ExitCode;

constexpr std::array<std::string_view, 4> kSent{"EVALSHA", "EVAL", "AUTH", "PING"};

struct Said {
    std::string_view text;
    BehindProxy meaning;
};

// twemproxy passes on what the system says of its connection; Envoy has words of its own, and no `ERR` before them.
constexpr std::array kUnreached{
    Said{"ERR Connection refused", BehindProxy::surely},
    Said{"ERR Host is down", BehindProxy::surely},
    Said{"ERR No route to host", BehindProxy::surely},
    Said{"ERR Network is unreachable", BehindProxy::surely},
    Said{"no upstream host", BehindProxy::surely},
    Said{"ERR Connection timed out", BehindProxy::perhaps},
    Said{"ERR Connection reset by peer", BehindProxy::perhaps},
    Said{"ERR Broken pipe", BehindProxy::perhaps},
    Said{"ERR Server closed", BehindProxy::perhaps},
    Said{"upstream failure", BehindProxy::perhaps},
    Said{"upstream protocol error", BehindProxy::perhaps},
};

}  // namespace

std::optional<Fault> not_through_proxy(const Request& request, std::string_view where) {
    auto bytes = request.bytes();
    while (!bytes.empty()) {
        const auto words = take_command(bytes);
        const std::string name = support::upper(std::string(words.front()));
        if (std::ranges::find(kSent, name) != kSent.end()) continue;
        return Fault{{ExitCode::protocol,
                      fmt::format("{}: is a proxy, and {} cannot be asked through one; it was not sent", where, name),
                      "through a proxy named keys are looked at and changed; everything else needs the servers behind "
                      "it as shards (`ratectl config import twemproxy FILE`)"},
                     false,
                     false};
    }
    return std::nullopt;
}

bool is_word_of_proxy(std::string_view error_text) {
    return error_text.starts_with("unsupported command") || error_text.starts_with("ERR unsupported command");
}

BehindProxy unreached_behind(std::string_view error_text) {
    const auto found =
        std::ranges::find_if(kUnreached, [&](const Said& said) { return error_text.starts_with(said.text); });
    return found == kUnreached.end() ? BehindProxy::no : found->meaning;
}

}  // namespace ratectl::redis
