// From the lines of an access log to the requests that a limiter would have seen, in the order of the file.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "domain/key_template.h"
#include "domain/limiter.h"
#include "input/access_log.h"
#include "input/line_reader.h"
#include "support/error.h"
#include "support/time.h"

namespace ratectl::commands::replay {

/// One request as the limiter sees it.
struct Request {
    std::string key;
    support::Moment now{};         // on the limiter's clock
    support::Instant logged_at{};  // on the log's clock
    bool refundable = false;       // its answer is one of --refund-status
    std::uint64_t line = 0;
};

struct LogRules {
    domain::KeyTemplate key;                   // holes: client, method, path, status, bucket
    std::string policy;                        // whose key it is
    const domain::Limiter* limiter = nullptr;  // of the deployment
    std::set<int> refund_status;
    std::optional<support::Instant> since;  // on the log's clock: since <= t < until
    std::optional<support::Instant> until;
    bool log_clock = true;  // the log's clock moved so that the first request is at `now`; else everything is at `now`
    support::Moment now{};
    /// On the limiter's clock: what is not before it is left out, for its windows are yet to come. Null: none is.
    std::optional<support::Instant> ends;
};

/// Throws Failure (usage) naming a hole that no line of a log can fill.
void check_holes(const domain::KeyTemplate& key);

class RequestSource {
public:
    /// A malformed line, or one that cannot fill the template: told, counted, never a request.
    using OnMalformed = std::function<void(std::uint64_t line, std::string_view text, const std::string& why)>;

    RequestSource(input::ByteSource& source, const LogRules& rules, OnMalformed on_malformed);

    /// Null at the end. Throws what the source throws.
    std::optional<Request> next();
    bool ready() { return lines_.ready(); }
    std::uint64_t lines() const { return lines_.line(); }
    std::uint64_t malformed() const { return malformed_; }
    /// Well-formed lines outside --since and --until.
    std::uint64_t skipped() const { return skipped_; }
    /// Requests that were left out by `ends`, and the line of the first of them.
    std::uint64_t to_come() const { return to_come_; }
    std::uint64_t first_to_come() const { return first_to_come_; }

private:
    bool in_range(support::Instant t) const;
    support::Result<Request> request_of(const input::LoggedRequest& logged);

    const LogRules& rules_;
    input::LineReader lines_;
    OnMalformed on_malformed_;
    std::optional<support::Seconds> shift_;  // known from the first request on
    std::uint64_t malformed_ = 0;
    std::uint64_t skipped_ = 0;
    std::uint64_t to_come_ = 0;
    std::uint64_t first_to_come_ = 0;
};

}  // namespace ratectl::commands::replay
