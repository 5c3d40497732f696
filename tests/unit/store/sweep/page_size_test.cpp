// The size of a sweep's pages and the pace of its commands.
#include "store/sweep/page_size.h"

#include "store/sweep/sweep_page.h"
#include "support/catch.h"

namespace ratectl::test {
namespace {

using std::chrono::microseconds;
using store::Pace;
using store::PageSize;

// A server that needs so long for a key, so many pages in a row.
void serve(PageSize& size, double per_key, int pages) {
    for (int i = 0; i < pages; ++i) {
        size.took(size.count(), microseconds(static_cast<std::int64_t>(per_key * static_cast<double>(size.count()))));
    }
}

TEST_CASE("A page grows step by step until it occupies the server for nearly as long as it may") {
    PageSize size(microseconds(5000));
    CHECK(size.count() == 300);
    serve(size, 1.25, 1);
    CHECK(size.count() == 450);
    serve(size, 1.25, 20);
    CHECK(static_cast<double>(size.count()) * 1.25 <= 5000);
    CHECK(static_cast<double>(size.count()) * 1.25 >= 2000);
}

TEST_CASE("A page shrinks as soon as the server is slow more than once") {
    PageSize size(microseconds(1000));
    serve(size, 1, 20);
    const auto before = size.count();
    serve(size, 50, 1);
    CHECK(size.count() == before);
    serve(size, 8, 3);
    CHECK(static_cast<double>(size.count()) * 8 <= 1000);
}

TEST_CASE("A page has bounds whatever the server does") {
    PageSize patient(microseconds(60'000'000));
    serve(patient, 0.01, 50);
    CHECK(patient.count() == PageSize::kLargest);
    PageSize gentle(microseconds(0));
    CHECK(gentle.count() == PageSize::kSmallest);
    serve(gentle, 1000, 50);
    CHECK(gentle.count() == PageSize::kSmallest);
}

TEST_CASE("A clock that stands still or runs backwards changes no page") {
    PageSize size(microseconds(1000));
    const auto before = size.count();
    size.took(300, microseconds(0));
    size.took(300, microseconds(-5));
    size.took(0, microseconds(5));
    CHECK(size.count() == before);
}

TEST_CASE("What may wait is held back for a part of what the server is busy with and never for long") {
    PageSize unknown(microseconds(1000));
    CHECK(unknown.head_start() == microseconds(0));
    PageSize size(microseconds(1000));
    serve(size, 1, 20);
    CHECK(size.head_start() > microseconds(50));
    CHECK(size.head_start() < microseconds(250));
    PageSize patient(microseconds(60'000'000));
    serve(patient, 10, 50);
    CHECK(patient.head_start() == microseconds(250));
}

TEST_CASE("Commands are paid for behind them at the rate that is allowed") {
    Pace pace(100);
    const auto start = Pace::Clock::time_point(std::chrono::hours(1));
    CHECK(pace.free_at() <= start);
    pace.spend(3, start);
    CHECK(pace.free_at() - start == std::chrono::milliseconds(30));
    pace.spend(1, start + std::chrono::milliseconds(30));
    CHECK(pace.free_at() - start == std::chrono::milliseconds(40));
    // What was not used is gone.
    pace.spend(1, start + std::chrono::seconds(5));
    CHECK(pace.free_at() - start == std::chrono::milliseconds(5010));
    CHECK(Pace(0).free_at() == Pace::Clock::time_point());
}

}  // namespace
}  // namespace ratectl::test
