// Puts the endings refused, failed and unknown of a write into words.
#include "store/writes/write_results.h"

#include <utility>

#include <fmt/format.h>

#include "domain/cluster/slot_faults.h"
#include "redis/reply_class.h"
#include "store/core.h"

namespace ratectl::store {

using support::ExitCode;

namespace {

constexpr std::string_view kNothingWritten = "; nothing was written";  // of an error reply: by that call

std::string_view why_failed(ExitCode code) {
    switch (code) {
        case ExitCode::configuration:  // no server is known
        case ExitCode::unavailable: return "unavailable";
        case ExitCode::interrupted:
        case ExitCode::terminated: return "interrupted";
        default: return "server-error";
    }
}

std::string first_quoted(std::string_view text) {
    const auto open = text.find('\'');
    if (open == std::string_view::npos) return {};
    text.remove_prefix(open + 1);
    return std::string(text.substr(0, text.find('\'')));
}

}  // namespace

void tell_used(domain::StoredWindow& window, const schemes::Scheme& scheme, const std::string& key,
               std::int64_t server_time_ms) {
    if (!window.state || window.used) return;
    auto look = scheme.look_at(key, window);
    look.server_ms = server_time_ms;
    if (scheme.corruption(look).empty()) window.used = scheme.stored(look, domain::kWhenever).used;
}

std::string nothing_written(const Core& core, const domain::Node& node) {
    return core.changed.contains(node.shard) ? "; nothing more was written there" : "; nothing was written there";
}

WriteResult not_written(const Core& core, const domain::Node& node, redis::Fault fault) {
    WriteResult result;
    result.node = node;
    result.status = WriteStatus::failed;
    result.reason = why_failed(fault.error.code);
    if (fault.error.code == ExitCode::write_refused || fault.error.code == ExitCode::access) {
        result.status = WriteStatus::refused;
        result.reason = fault.error.code == ExitCode::access ? "no-permission" : "server-refuses";
    }
    if (domain::is_bad_key(fault.error)) {
        result.status = WriteStatus::refused;
        result.reason = domain::kBadKey;
    }
    result.error = std::move(fault.error);
    auto& message = result.error->message;
    if (message.ends_with(kNothingWritten)) message.resize(message.size() - kNothingWritten.size());
    message += nothing_written(core, node);
    return result;
}

WriteResult unknown_outcome(const domain::Node& node, support::Error why, std::string_view what,
                            std::string_view operation) {
    WriteResult result;
    result.node = node;
    result.status = WriteStatus::unknown;
    result.reason = "no-answer";
    why.code = ExitCode::unknown;
    why.message += fmt::format("; the outcome of {} is unknown: it may have been applied", what);
    why.hint = operation.empty()       ? "look at the keys before you repeat anything"
               : node.endpoint.proxied ? fmt::format("the whole change again, under --op-id {}, settles it", operation)
                                       : fmt::format("ratectl history {} asks the server again", operation);
    result.error = std::move(why);
    return result;
}

redis::Fault fault_of_reply(const redis::Reply& reply, std::string_view where, std::string_view command) {
    if (redis::classify_error(reply.text) != redis::ReplyClass::unknown_command) {
        return redis::fault_from_reply(reply.text, where, command);
    }
    // Which command it does not know is said by the server; the rest of its words echoes our arguments.
    return redis::fault_from_reply(reply.text, where, first_quoted(reply.text));
}

}  // namespace ratectl::store
