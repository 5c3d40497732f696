// A real server, random states of one window's two keys, and the scripts called on them as the store calls them.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "domain/write.h"
#include "redis/script.h"
#include "schemes/book.h"
#include "support/catch.h"
#include "support/number_text.h"
#include "support/redis_server.h"

namespace ratectl::test {

/// One key as it stands: null value with the type `none` or `list`.
struct StoredHalf {
    std::string type = "none";
    std::optional<std::string> value;
    std::int64_t expires_ms = -2;  // PEXPIRETIME: -1 none, -2 absent

    bool operator==(const StoredHalf&) const = default;
    bool is_list() const { return type == "list"; }
    /// The number, when it is one that the scripts accept.
    std::optional<std::int64_t> number() const {
        const auto n = value ? support::parse_decimal(*value) : std::nullopt;
        const bool exact = n && *n <= support::kMaxExactInteger && *n >= -support::kMaxExactInteger;
        return exact ? n : std::nullopt;
    }
};

struct StoredKeys {
    StoredHalf counter;
    StoredHalf expiry;

    bool operator==(const StoredKeys&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const StoredHalf& half) {
    return out << half.type << ' ' << half.value.value_or("-") << " until " << half.expires_ms;
}
inline std::ostream& operator<<(std::ostream& out, const StoredKeys& keys) {
    return out << "{counter " << keys.counter << "; expiry " << keys.expiry << "}";
}

inline redis::Reply to_reply(const test::PlainReply& plain) {
    using From = test::PlainReply::Kind;
    using To = redis::Reply::Kind;
    redis::Reply reply;
    switch (plain.kind) {
        case From::status: reply.kind = To::status; break;
        case From::error: reply.kind = To::error; break;
        case From::bulk: reply.kind = To::text; break;
        case From::nil: reply.kind = To::nil; break;
        case From::array: reply.kind = To::array; break;
        case From::integer:
            reply.kind = To::integer;
            reply.integer = *support::parse_decimal(plain.text);
            break;
    }
    if (plain.kind != From::integer) reply.text = plain.text;
    for (const auto& item : plain.items) reply.elements.push_back(to_reply(item));
    return reply;
}

/// EVAL of a call, as a client sends it; or EVALSHA, where the server knows it by that digest.
inline std::vector<std::string> words_of(const redis::ScriptCall& call, const std::string& digest = {}) {
    std::vector<std::string> words{digest.empty() ? "EVAL" : "EVALSHA",
                                   digest.empty() ? std::string(call.script->source) : digest,
                                   std::to_string(call.keys.size())};
    words.insert(words.end(), call.keys.begin(), call.keys.end());
    words.insert(words.end(), call.arguments.begin(), call.arguments.end());
    return words;
}

/// So many random states in a run of seconds, and times as many as the environment asks for where hours are spent.
inline int random_states(int usual) {
    const char* times = std::getenv("RATECTL_TEST_STATES_TIMES");
    return usual * (times == nullptr ? 1 : std::stoi(times));
}

/// Shadows what Redis 6 does not have: the scripts behind it take the ways of an older server.
inline constexpr const char* kAsSix =
    "local redis = { call = redis.call, error_reply = redis.error_reply, pcall = redis.pcall }\n";

/// Where a call says that it is an undo, whose last key is no window's.
inline constexpr std::size_t kKeysBehind = 5;

class WindowFixture {
public:
    explicit WindowFixture(std::uint32_t seed) : random_(seed) {}

    RedisServer& server() { return server_; }
    const schemes::Scheme& scheme() const { return *scheme_; }
    std::int64_t server_seconds() { return *support::parse_decimal(server_.reply({"TIME"}).items.at(0).text); }

    std::int64_t between(std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
    }
    bool one_in(int n) { return between(1, n) == 1; }

    StoredHalf read_half(const std::string& key) {
        StoredHalf half;
        half.type = server_.command({"TYPE", key});
        if (half.type == "string") half.value = server_.reply({"GET", key}).text;
        half.expires_ms = *support::parse_decimal(server_.command({"PEXPIRETIME", key}));
        return half;
    }
    StoredKeys read(const std::string& key) { return {read_half(key), read_half(key + ":exp")}; }

    /// Puts a random state under the key; resets lie around `around` (a second).
    StoredKeys randomize(const std::string& key, std::int64_t around) {
        server_.command({"DEL", key, key + ":exp"});
        if (!one_in(5)) put(key, one_in(4) ? odd_text() : std::to_string(random_count()), around);
        if (!one_in(5)) put(key + ":exp", one_in(6) ? odd_text() : std::to_string(around + between(-30, 200)), around);
        return read(key);
    }

    redis::Reply call(const redis::ScriptCall& call) {
        auto& digest = digests_[in_front_][call.script->sha1];
        if (digest.empty()) digest = server_.command({"SCRIPT", "LOAD", in_front_ + std::string(call.script->source)});
        return to_reply(server_.reply(words_of(call, digest)));
    }
    /// What a write's call is answered with.
    support::Result<schemes::WriteAnswers> answers(const redis::ScriptCall& write) {
        std::vector<std::string_view> keys;
        const auto last = write.keys.size() - write.arguments.at(kKeysBehind).size();
        for (std::size_t i = 0; i < last; i += 2) keys.push_back(write.keys[i]);
        const auto began = std::chrono::steady_clock::now();
        const auto reply = call(write);
        last_call_ms_ = std::chrono::ceil<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began).count();
        return schemes::decode_writes(keys, reply);
    }
    /// How far an expiry in the last answers may be off: before Redis 7 it is worked out from two readings of the clock
    /// within one call.
    std::int64_t expiry_slack_ms() const { return is_six() ? last_call_ms_ + 1 : 0; }
    /// From now on the scripts run as on Redis 6.
    void be_six() { in_front_ = kAsSix; }
    bool is_six() const { return !in_front_.empty(); }

    /// The words that windows were answered with; `applied` as the empty one.
    std::set<std::string> words;

    /// Every key with its bytes and its expiry, as one text.
    std::string snapshot() {
        return server_.command(
            {"EVAL",
             "local keys, all = redis.call('KEYS', '*'), {} table.sort(keys) "
             "for _, key in ipairs(keys) do all[#all + 1] = key all[#all + 1] = redis.call('DUMP', key) "
             "all[#all + 1] = tostring(redis.call('PEXPIRETIME', key)) end return all",
             "0"});
    }
    std::int64_t server_ms() {
        const auto time = server_.reply({"TIME"});
        return *support::parse_decimal(time.items.at(0).text) * 1000 +
               *support::parse_decimal(time.items.at(1).text) / 1000;
    }

    std::int64_t random_count() {
        if (one_in(8)) return (one_in(2) ? 1 : -1) * (support::kMaxExactInteger - between(0, 2));
        return between(-5, 60);
    }

private:
    std::string odd_text() {
        const std::vector<std::string> odd{"abc",
                                           "",
                                           " 7",
                                           "7 ",
                                           "007",
                                           "1e3",
                                           "-0",
                                           "12.5",
                                           "+5",
                                           "0x10",
                                           "9007199254740992",
                                           "-9007199254740992",
                                           "99999999999999999999",
                                           std::string("5\0", 2),
                                           "5\n"};
        return odd[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(odd.size()) - 1))];
    }
    void put(const std::string& key, const std::string& value, std::int64_t around) {
        if (one_in(12)) {
            server_.command({"RPUSH", key, value});
        } else {
            server_.command({"SET", key, value});
        }
        if (!one_in(4)) server_.command({"EXPIREAT", key, std::to_string(around + between(1000, 2000))});
    }

    std::mt19937 random_;
    std::string in_front_;
    std::map<std::string, std::map<std::string_view, std::string>>
        digests_;  // by what stands in front, by that of the source alone
    std::int64_t last_call_ms_ = 0;
    RedisServer server_{RedisServerOptions{{}, false}};
    const schemes::Scheme* scheme_ = &schemes::scheme_of({"window", ":exp"});
};

}  // namespace ratectl::test
