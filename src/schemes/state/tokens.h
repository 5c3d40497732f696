// What all buckets of tokens share: a request takes one, `limit` of them come back in a `period`, and `burst` is how
// many there are when it is full.
#pragma once

#include "schemes/state/state_scheme.h"

namespace ratectl::schemes::tokens {

/// Without a limit, a period and a capacity it is known that something is used as long as the keys are there.
class TokensScheme : public state::StateScheme {
public:
    using StateScheme::StateScheme;

    std::int64_t most_let_through(std::int64_t limit) const override;

protected:
    std::vector<std::string> terms(const std::string& key) const override;
    bool is_countable(std::int64_t limit) const override;

    struct Refill {
        double tokens = 0;
        double seconds = 0;  // in which they come back
        double capacity = 0;

        double a_second() const { return tokens / seconds; }
    };
    /// Null: not known, or nothing comes back.
    std::optional<Refill> refill(std::optional<std::int64_t> limit) const;
    /// Where that is null.
    static state::Meaning unmeasured(const domain::WindowLook& look, std::int64_t now_ns);
};

/// As programs write it, without an exponent, and within what is exact; null: it is none.
std::optional<double> number_in(std::string_view text);

}  // namespace ratectl::schemes::tokens
