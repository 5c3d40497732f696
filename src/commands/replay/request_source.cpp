// Turns each line of an access log into one request at most.
#include "commands/replay/request_source.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "domain/policy.h"
#include "store/directory.h"
#include "support/quote.h"

namespace ratectl::commands::replay {

namespace {

constexpr std::size_t kLongestLine = std::size_t{1024} * 1024;
constexpr std::array<std::string_view, 5> kHoles{"client", "method", "path", "status", domain::kBucketHole};

}  // namespace

void check_holes(const domain::KeyTemplate& key) {
    for (const std::string& hole : key.placeholders()) {
        if (std::find(kHoles.begin(), kHoles.end(), hole) != kHoles.end()) continue;
        throw support::Failure(support::ExitCode::usage,
                               fmt::format("key template '{}': a log cannot fill its hole '{}'", key.text(), hole),
                               "a log has {client}, {method}, {path} and {status}");
    }
}

RequestSource::RequestSource(input::ByteSource& source, const LogRules& rules, OnMalformed on_malformed)
    : rules_(rules), lines_(source, '\n', kLongestLine), on_malformed_(std::move(on_malformed)) {}

std::optional<Request> RequestSource::next() {
    while (const auto line = lines_.next()) {
        const auto logged = input::parse_access_log_line(*line);
        if (logged && !in_range(logged->at)) {
            ++skipped_;
            continue;
        }
        auto request = logged ? request_of(*logged) : tl::make_unexpected(logged.error());
        if (request && rules_.ends && request->now >= *rules_.ends) {
            if (++to_come_ == 1) first_to_come_ = lines_.line();
            continue;
        }
        if (request) return *std::move(request);
        ++malformed_;
        on_malformed_(lines_.line(), *line, request.error().message);
    }
    return std::nullopt;
}

bool RequestSource::in_range(support::Instant t) const {
    return (!rules_.since || t >= *rules_.since) && (!rules_.until || t < *rules_.until);
}

support::Result<Request> RequestSource::request_of(const input::LoggedRequest& logged) {
    if (!shift_) shift_ = rules_.now - logged.at;
    const support::Moment now = rules_.log_clock ? support::Moment(logged.at + *shift_) : rules_.now;
    domain::Captures holes{{"client", logged.client},
                           {"method", logged.method},
                           {"path", logged.path},
                           {"status", std::to_string(logged.status)}};
    const auto numbers = rules_.limiter->holes_at(rules_.policy, now);
    holes.insert(numbers.begin(), numbers.end());
    auto key = rules_.key.expand(holes);
    if (!key) return tl::make_unexpected(key.error());
    const auto held = numbers.empty() ? numbers : rules_.key.match(*key).value_or(domain::Captures());
    if (!std::ranges::includes(held, numbers)) {
        return support::failure(support::ExitCode::guard,
                                fmt::format("its key {} would be read as another window's", support::quoted(*key)));
    }
    // The client that made the request may have chosen the end of its key: it must not hit another window's expiry
    // half.
    if (rules_.limiter->part_of(*key)) {
        return support::failure(support::ExitCode::guard,
                                fmt::format("its key {} is half a window and no window", support::quoted(*key)));
    }
    Request request;
    request.key = *std::move(key);
    request.now = now;
    request.logged_at = logged.at;
    request.refundable = rules_.refund_status.contains(logged.status);
    request.line = lines_.line();
    return request;
}

}  // namespace ratectl::commands::replay
