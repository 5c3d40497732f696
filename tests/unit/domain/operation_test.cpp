// Operation ids, and the words for what was done.
#include "domain/operation.h"

#include <set>

#include "support/catch.h"

namespace ratectl::domain {
namespace {

TEST_CASE("An operation id can stand in a key and before a slash, and nothing else is one") {
    for (const auto& id : {std::string("a"), std::string("01KB1234567890ABCDEFGHJKMN"), std::string("a_B-9"),
                           std::string("_-"), std::string(64, 'x')}) {
        INFO(id);
        CHECK(check_operation_id(id).has_value());
    }
    for (const auto& id : {std::string(), std::string(65, 'x'), std::string("a.b"), std::string("a:b"),
                           std::string("a/b"), std::string("a b"), std::string("a*"), std::string("\xc3\xa4"),
                           std::string("a\0", 2), std::string("a\n"), std::string("-"), std::string("--yes")}) {
        INFO(id);
        const auto checked = check_operation_id(id);
        REQUIRE_FALSE(checked.has_value());
        CHECK(checked.error().code == support::ExitCode::usage);
    }
}

TEST_CASE("A script call is named after its operation and its number") {
    CHECK(to_string(SliceId{"OP", 1}) == "OP.1");
    CHECK(to_string(SliceId{"x-y", 18'446'744'073'709'551'615U}) == "x-y.18446744073709551615");
}

TEST_CASE("The number of a call says in which slot of a Redis Cluster it is") {
    CHECK(number_in_slot(1, 0) == 16384);
    CHECK(number_in_slot(3, 16383) == 65535);
    for (const std::uint64_t count : {0U, 1U, 1000U}) {
        for (const auto slot : {std::uint16_t{0}, std::uint16_t{7851}, std::uint16_t{16383}})
            CHECK(slot_of_number(number_in_slot(count, slot)) == slot);
    }
    CHECK(SliceId{"OP", 5, "7"} == SliceId{"OP", 5});
}

TEST_CASE("Every kind of write and every status has a word of its own") {
    std::set<std::string_view> kinds;
    for (const auto kind : {WriteKind::count, WriteKind::refund, WriteKind::reset, WriteKind::restore}) {
        kinds.insert(name_of(kind));
    }
    CHECK(kinds == std::set<std::string_view>{"increment", "refund", "reset", "undo"});
    std::set<std::string_view> statuses;
    for (int status = 0; status <= static_cast<int>(WriteStatus::not_attempted); ++status) {
        statuses.insert(name_of(static_cast<WriteStatus>(status)));
    }
    CHECK(statuses == std::set<std::string_view>{"applied", "already-applied", "skipped", "window-changed", "refused",
                                                 "failed", "unknown", "not-attempted"});
}

TEST_CASE("A ULID begins with its time in the alphabet of Crockford") {
    const auto ulid = make_ulid(support::WallTime{support::Milliseconds{1469918176385}}, {});
    CHECK(ulid == "01ARYZ6S410000000000000000");
    CHECK(make_ulid(support::WallTime{support::Milliseconds{281474976710655}}, {}).substr(0, 10) == "7ZZZZZZZZZ");
}

TEST_CASE("A ULID carries all eighty random bits") {
    const support::WallTime zero{};
    CHECK(make_ulid(zero, {255, 255, 255, 255, 255, 255, 255, 255, 255, 255}) == "0000000000ZZZZZZZZZZZZZZZZ");
    CHECK(make_ulid(zero, {0, 0, 0, 0, 0, 0, 0, 0, 0, 33}) == "00000000000000000000000011");
    CHECK(make_ulid(zero, {8, 0, 0, 0, 0, 0, 0, 0, 0, 0}) == "00000000001000000000000000");
}

}  // namespace
}  // namespace ratectl::domain
