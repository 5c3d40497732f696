// The order of endings.
#include "support/error.h"

#include <vector>

#include "support/catch.h"

using namespace ratectl::support;

TEST_CASE("the graver of two endings follows the published order") {
    const std::vector<std::vector<ExitCode>> ranks{
        {ExitCode::unknown},
        {ExitCode::partial},
        {ExitCode::local_io},
        {ExitCode::interrupted, ExitCode::terminated},
        {ExitCode::usage, ExitCode::configuration, ExitCode::unavailable, ExitCode::access, ExitCode::write_refused,
         ExitCode::guard, ExitCode::protocol, ExitCode::bug, ExitCode::output_closed},
        {ExitCode::attention},
        {ExitCode::done},
    };
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        for (std::size_t j = 0; j < ranks.size(); ++j) {
            for (const ExitCode a : ranks[i]) {
                for (const ExitCode b : ranks[j]) {
                    CHECK(graver(a, b) == (j < i ? b : a));
                }
            }
        }
    }
}

TEST_CASE("a failed result becomes a failure with the same words") {
    const Result<int> bad = failure(ExitCode::guard, "the window changed", "look again");
    try {
        value_or_throw(bad);
        FAIL("nothing was thrown");
    } catch (const Failure& thrown) {
        CHECK(thrown.error() == Error{ExitCode::guard, "the window changed", "look again"});
        CHECK(std::string(thrown.what()) == "the window changed");
    }
    CHECK(value_or_throw(Result<int>{7}) == 7);
    CHECK_NOTHROW(value_or_throw(Result<void>{}));
}
