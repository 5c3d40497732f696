// Windows that are named by when they begin: a hole {bucket} in their keys holds that, as a number of the limiter's
// own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/key_template.h"
#include "support/time.h"

namespace ratectl::schemes::counter {

/// What the number is: of the period since the epoch, or the second or millisecond at which it begins.
enum class BucketNumber { of_period, first_second, first_millisecond };

/// The first and the last second of a window.
struct Bucket {
    support::Instant first{};
    support::Instant last{};
};

class Buckets {
public:
    /// The template has the hole domain::kBucketHole.
    Buckets(domain::KeyTemplate key, BucketNumber number, support::Seconds period);

    /// Of the window with this key; null: the key is none of these, or its number is on no clock.
    std::optional<Bucket> bucket_of(std::string_view key) const;
    support::Seconds period() const { return support::Seconds{period_}; }
    /// Of the window at that moment.
    std::string number_at(support::Moment now) const;
    /// The key of the window at that moment that differs in nothing else; what is no such key stays as it is.
    std::string key_at(std::string key, support::Moment now) const;
    /// That of the window so many periods later; null: the key is none of these, or there is no such number.
    std::optional<std::string> key_beside(std::string_view key, int periods) const;

private:
    /// The first second of a window, by any second in it; months and years as the calendar has them.
    std::int64_t begin_of(std::int64_t second) const;
    std::int64_t end_of(std::int64_t begin) const;

    domain::KeyTemplate key_;
    std::size_t hole_;  // of its placeholders
    BucketNumber number_;
    std::int64_t period_;
};

}  // namespace ratectl::schemes::counter
