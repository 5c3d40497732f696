// What a server may send: the RESP reader, and the decoders behind it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "domain/window.h"
#include "fuzz/broken.h"
#include "redis/reply_class.h"
#include "redis/resp_reader.h"
#include "schemes/book.h"

namespace ratectl::fuzz {

struct Parsed {
    std::vector<redis::Reply> replies;
    bool broken = false;

    bool operator==(const Parsed&) const = default;
};

/// Everything the reader makes of the bytes, fed `piece` at a time.
inline Parsed parsed(std::string_view bytes, std::size_t piece) {
    redis::RespReader reader({.bytes = 1u << 20, .elements = 1u << 12, .depth = 7});
    Parsed result;
    redis::Reply into;
    const auto take_all = [&] {
        while (!result.broken) {
            const auto next = reader.next(into);
            result.broken = !next.has_value();
            if (result.broken || !*next) return;
            result.replies.push_back(into);
        }
    };
    while (!bytes.empty() && !result.broken) {
        reader.feed(bytes.substr(0, piece));
        bytes.remove_prefix(std::min(piece, bytes.size()));
        take_all();
    }
    return result;
}

inline void reply(std::string_view bytes) {
    const Parsed whole = parsed(bytes, redis::RespReader::kMaxFeed);
    promise(parsed(bytes, 1) == whole, "fed byte by byte, the reader gives other replies");
    promise(parsed(bytes, 7) == whole, "fed in pieces of seven, the reader gives other replies");
}

/// As many replies as wanted: the parsed ones over and over, or nil.
inline std::vector<redis::Reply> repeated(const std::vector<redis::Reply>& replies, std::size_t wanted) {
    std::vector<redis::Reply> result(wanted);
    for (std::size_t i = 0; i < wanted && !replies.empty(); ++i) result[i] = replies[i % replies.size()];
    return result;
}

inline void judge_all(const schemes::Scheme::Looks& looks, std::size_t keys) {
    promise(looks.size() == keys, "not one look a key");
    for (const auto& look : looks) {
        if (!look) continue;
        for (const std::int64_t limit : {std::int64_t{0}, std::int64_t{20}, INT64_MAX}) {
            const auto window = domain::judge(*look, support::from_epoch(1000), limit);
            promise(!window.remaining || (*window.remaining >= 0 && *window.remaining <= limit),
                    "remaining is outside 0..limit");
            promise(!window.exhausted || (window.used && *window.used >= limit), "exhausted below the limit");
        }
        domain::judge(*look, support::from_epoch(0), std::nullopt);
    }
}

inline void look(std::string_view bytes) {
    const schemes::Scheme* const scheme = &schemes::scheme_of({"window", ":exp"});
    const auto replies = parsed(bytes, redis::RespReader::kMaxFeed).replies;
    const std::vector<std::string> keys{"core:1", "core:2"};
    for (const auto depth : {domain::LookDepth::light, domain::LookDepth::full}) {
        for (const int version : {6, 7}) {
            redis::ServerFacts facts;
            facts.version = domain::ServerVersion{version, 0, 0, false};
            auto given = repeated(replies, scheme->look_replies(keys, depth, facts));
            judge_all(scheme->decode_looks(keys, given, depth), keys.size());
        }
    }
    for (const auto& reply : replies) judge_all(scheme->decode_script_looks(keys, std::span(&reply, 1)), keys.size());
}

inline void write_answer(std::string_view bytes) {
    for (const auto& reply : parsed(bytes, redis::RespReader::kMaxFeed).replies) {
        const std::vector<std::string_view> keys{"core:1", "core:2"};
        for (const std::size_t windows : {std::size_t{1}, std::size_t{2}}) {
            const auto answers = schemes::decode_writes(std::span(keys).first(windows), reply);
            if (!answers) continue;
            const bool ran =
                answers->status == schemes::CallStatus::done || answers->status == schemes::CallStatus::already;
            promise(answers->windows.size() == (ran ? windows : 0), "not one answer a window");
        }
    }
}

inline void server_error(std::string_view bytes) {
    redis::classify_error(bytes);
    for (const auto* command : {"MGET", "increment", "AUTH"}) {
        const auto fault = redis::fault_from_reply(bytes, "shard 'a' (10.0.0.1:6379)", command);
        promise(fault.error.code != support::ExitCode::done, "an error reply is no success");
        promise(!fault.error.message.empty(), "an error without words");
    }
}

}  // namespace ratectl::fuzz
