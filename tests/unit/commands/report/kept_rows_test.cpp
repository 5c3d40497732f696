// Rows held back and given in order: few in memory, many through sorted runs in a file.
#include "commands/report/kept_rows.h"

#include <algorithm>
#include <random>

#include "support/catch.h"
#include "support/error.h"
#include "support/window_look.h"

using namespace ratectl;
using commands::KeptRow;
using commands::RowOrder;

namespace {

KeptRow row_of(std::string key, output::Cell order, std::uint32_t place = 0) {
    KeptRow row;
    row.look = test::window_look(std::move(key));
    counter_part(row.look).value = "12";
    expiry_part(row.look) = {"1700000000", "string", -1, {}};
    row.place = place;
    row.read_at = support::WallTime{support::Milliseconds{place}};
    row.stale = place % 2 != 0;
    row.order = std::move(order);
    return row;
}

std::vector<KeptRow> all_of(commands::KeptRows& rows) {
    std::vector<KeptRow> all;
    while (const KeptRow* row = rows.next()) all.push_back(*row);
    return all;
}

/// Keys in order, whatever keeps them.
std::vector<std::string> keys_of(const std::vector<KeptRow>& rows) {
    std::vector<std::string> keys;
    for (const KeptRow& row : rows) keys.push_back(row.look.key);
    return keys;
}

std::vector<KeptRow> some_rows(std::size_t count, output::Cell (*order)(std::mt19937&)) {
    std::mt19937 random(5);
    std::vector<KeptRow> rows;
    for (std::size_t i = 0; i < count; ++i) {
        rows.push_back(
            row_of("key:" + std::to_string(random() % 100'000), order(random), static_cast<std::uint32_t>(i)));
    }
    return rows;
}

output::Cell some_integer(std::mt19937& random) {
    if (random() % 9 == 0) return output::Null{};
    return static_cast<std::int64_t>(random() % 50) - 25;
}
output::Cell some_number(std::mt19937& random) {
    if (random() % 9 == 0) return output::Null{};
    return (static_cast<double>(random() % 500) - 250) / 8;
}
output::Cell some_text(std::mt19937& random) {
    if (random() % 9 == 0) return output::Null{};
    return output::Text{"a long beginning " + std::to_string(random() % 50)};
}
output::Cell some_time(std::mt19937& random) { return support::from_epoch(static_cast<std::int64_t>(random() % 99)); }

}  // namespace

TEST_CASE("rows that do not fit into memory come back in the order that memory would give them") {
    for (const auto order : {some_integer, some_number, some_text, some_time}) {
        for (const bool descending : {false, true}) {
            auto rows = some_rows(3000, order);
            const auto kept = commands::keep_all_rows({descending}, "/tmp", 8192);  // some forty runs
            for (const KeptRow& row : rows) kept->add(row);
            std::stable_sort(rows.begin(), rows.end(), [descending](const KeptRow& a, const KeptRow& b) {
                return RowOrder{descending}.before(a, b);
            });
            CHECK(keys_of(all_of(*kept)) == keys_of(rows));
        }
    }
}

TEST_CASE("a row comes back from the file with all that it had") {
    const auto kept = commands::keep_all_rows({}, "/tmp", 64);
    KeptRow full = row_of(std::string("k\0\xff", 3), std::int64_t{2}, 7);
    full.look.depth = domain::LookDepth::full;
    counter_part(full.look) = {std::nullopt, "list", std::nullopt, std::nullopt};
    expiry_part(full.look) = {std::string(100'000, 'x'), "string", 5, 1'700'000'000'123};
    kept->add(full);
    kept->add(row_of("a", std::int64_t{1}, 3));
    kept->add(row_of("", output::Null{}));
    const auto rows = all_of(*kept);
    REQUIRE(rows.size() == 3);
    CHECK(rows[0].look.key == "a");
    CHECK(rows[1].look == full.look);
    CHECK(rows[1].place == 7);
    CHECK(rows[1].read_at == full.read_at);
    CHECK(rows[1].stale);
    CHECK(rows[2].look.key.empty());
}

TEST_CASE("rows that fit into memory need no file") {
    const auto kept = commands::keep_all_rows({true}, "/nowhere/at/all");
    kept->add(row_of("b", std::int64_t{1}));
    kept->add(row_of("a", std::int64_t{2}));
    CHECK(keys_of(all_of(*kept)) == std::vector<std::string>{"a", "b"});
    CHECK(kept->next() == nullptr);
}

TEST_CASE("a folder that takes no file is named with what was to be kept") {
    const auto kept = commands::keep_all_rows({}, "/nowhere/at/all", 64);
    try {
        for (int i = 0; i < 100; ++i) kept->add(row_of("key", std::int64_t{1}));
        FAIL("nothing was thrown");
    } catch (const support::Failure& failure) {
        CHECK(failure.error().code == support::ExitCode::local_io);
        CHECK(failure.error().message ==
              "cannot keep the rows that are being sorted in a temporary file in '/nowhere/at/all': No such file or "
              "directory");
    }
}

TEST_CASE("only the best rows stay and the last of them is known once there are enough") {
    const auto kept = commands::keep_first_rows({true}, 3);
    const int used[] = {5, 1, 9, 7, 3};
    CHECK(kept->last_of_full() == nullptr);
    for (const int each : used) kept->add(row_of("k" + std::to_string(each), std::int64_t{each}));
    REQUIRE(kept->last_of_full() != nullptr);
    CHECK(kept->last_of_full()->look.key == "k5");
    CHECK(keys_of(all_of(*kept)) == std::vector<std::string>{"k9", "k7", "k5"});
}
