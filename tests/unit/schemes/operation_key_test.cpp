// Names and contents of operation keys: there and back, and total over whatever else stands there.
#include "schemes/operation_key.h"

#include <random>

#include "domain/key_template.h"
#include "schemes/book.h"
#include "schemes/packed.h"
#include "support/catch.h"

namespace ratectl::test {
namespace {

using domain::SliceId;
using domain::WriteStatus;
using schemes::OptionalText;

std::string all_packed(const std::vector<OptionalText>& texts) {
    std::string bytes;
    for (const auto& text : texts) bytes += schemes::packed({text});
    return bytes;
}

/// A reset of two windows of which the second was refused.
std::vector<OptionalText> good_texts() {
    return {"3",          "f1ee", "reset", "ann", "host", "why", "77", "2", "a\n", "applied",        "-5",
            std::nullopt, {},     {},      {},    "123",  {},    {},   {},  "b",   "window-changed", "1",
            "2",          {},     {},      {},    {},     {},    {},   {}};
}

TEST_CASE("Texts pack into one and come out as they were, whatever bytes they hold") {
    const std::vector<OptionalText> texts{"",      std::nullopt,          "-",
                                          "3:abc", std::string("\0:", 2), std::string(70'000, 'x')};
    const auto bytes = all_packed(texts);
    CHECK(bytes.starts_with("0:-1:-5:3:abc2:"));
    CHECK(schemes::texts_of(bytes) == texts);
    CHECK(schemes::texts_of("") == std::vector<OptionalText>{});
}

TEST_CASE("Bytes that packing does not write are no texts") {
    for (const auto* bytes : {"x", "1", "1:", "2:a", "01:a", "+1:a", " 1:a", ":", "1:ab", "1:a-1",
                              "18446744073709551616:a", "99999999999999999999999:", "-1:"}) {
        INFO(bytes);
        CHECK_FALSE(schemes::texts_of(bytes).has_value());
    }
}

TEST_CASE("A value of countless texts is given up before it fills the memory") {
    CHECK(schemes::texts_of("--1:a", 3)->size() == 3);
    CHECK_FALSE(schemes::texts_of("--1:a", 2).has_value());
    const std::string head = "1:31:f5:reset1:a1:h-1:11:1";
    CHECK_FALSE(schemes::decode_operation({"OP", 1}, head + std::string(10'000'000, '-')).has_value());
}

TEST_CASE("An operation key is named after its script call and its name leads back to it") {
    const SliceId id{"01J-x_Y", 12};
    CHECK(schemes::operation_key(id) == "ratectl:op:01J-x_Y.12");
    CHECK(schemes::operation_of("ratectl:op:01J-x_Y.12") == id);
    CHECK(schemes::operation_of("ratectl:op:01J-x_Y.12")->tag.empty());
    const domain::SliceId tagged{"01J-x_Y", 24235, "123"};
    CHECK(schemes::operation_key(tagged) == "ratectl:op:{123}:01J-x_Y.24235");
    CHECK(schemes::undone_key(tagged) == "ratectl:op:{123}:01J-x_Y.24235.undone");
    CHECK(schemes::operation_of("ratectl:op:{123}:01J-x_Y.24235") == tagged);
    CHECK(schemes::operation_of("ratectl:op:{123}:01J-x_Y.24235")->tag == "123");
    for (const auto* none : {"ratectl:op:{123}:OP.7", "ratectl:op:{}:OP.24235", "ratectl:op:{123}OP.24235",
                             "ratectl:op:{123}:OP.24235.undone"})
        CHECK_FALSE(schemes::operation_of(none));
    for (const auto* key :
         {"ratectl:op:", "ratectl:op:A", "ratectl:op:A.", "ratectl:op:A.0", "ratectl:op:A.01", "ratectl:op:A.-1",
          "ratectl:op:A.1x", "ratectl:op:.1", "ratectl:op:A B.1", "ratectl:op:A.1.1", "ratectl:op:A.1:exp",
          "xratectl:op:A.1", "ratectl:op:A.99999999999999999999"}) {
        INFO(key);
        CHECK_FALSE(schemes::operation_of(key).has_value());
    }
}

TEST_CASE("The pattern of one operation finds its keys and no other operations") {
    const auto all = schemes::operation_pattern(std::nullopt);
    const auto one = schemes::operation_pattern("A-1");
    for (const auto& pattern : {all, one}) {
        CHECK(domain::glob_matches(pattern, schemes::operation_key({"A-1", 1})));
        CHECK(domain::glob_matches(pattern, schemes::operation_key({"A-1", 100})));
        CHECK_FALSE(domain::glob_matches(pattern, "core:1:exp"));
    }
    CHECK(domain::glob_matches(all, schemes::operation_key({"A-12", 1})));
    CHECK_FALSE(domain::glob_matches(one, schemes::operation_key({"A-12", 1})));
    CHECK_FALSE(domain::glob_matches(schemes::operation_pattern("*"), schemes::operation_key({"A", 1})));
}

TEST_CASE("No key with the reserved beginning is taken for a window or its half") {
    const schemes::Scheme* const scheme = &schemes::scheme_of({"window", ":exp"});
    for (const auto* key : {"ratectl:op:A.1", "ratectl:op:core:1", "ratectl:op:core:1:exp", "ratectl:op:"}) {
        CHECK(domain::is_reserved_key(key));
        CHECK_FALSE(scheme->scanned_as(key).has_value());
    }
    CHECK_FALSE(domain::is_reserved_key("ratectl:op"));
    CHECK(scheme->scanned_as("ratectl:oq:1:exp").value().window == "ratectl:oq:1");
}

TEST_CASE("A record tells who did what to which windows") {
    const auto record = schemes::decode_operation({"A", 3}, all_packed(good_texts()));
    REQUIRE(record.has_value());
    CHECK(record->id == SliceId{"A", 3});
    CHECK(record->kind == domain::WriteKind::reset);
    CHECK(record->fingerprint == "f1ee");
    CHECK(record->actor == "ann");
    CHECK(record->host == "host");
    CHECK(record->reason == "why");
    CHECK(record->at.time_since_epoch().count() == 77);
    REQUIRE(record->windows.size() == 2);
    const auto& removed = record->windows[0];
    CHECK(removed.key == "a\n");
    CHECK(removed.status == WriteStatus::applied);
    CHECK(removed.why.empty());
    CHECK(removed.before == domain::StoredWindow{"-5", std::nullopt, 123, std::nullopt});
    CHECK(removed.after == domain::StoredWindow{});
    const auto& kept = record->windows[1];
    CHECK(kept.status == WriteStatus::window_changed);
    CHECK(kept.why == "window-changed");
    CHECK(schemes::answer_of(kept).error->code == support::ExitCode::guard);
    CHECK(schemes::answer_of(removed).before == removed.before);
}

TEST_CASE("A record in short words says what was counted") {
    auto texts = good_texts();
    texts[9] = "counted";
    texts[14] = "7";
    const auto counted = schemes::decode_operation({"A", 3}, all_packed(texts));
    REQUIRE(counted.has_value());
    CHECK(counted->windows[0].status == WriteStatus::applied);
    CHECK(counted->windows[0].why.empty());
    CHECK(counted->windows[0].after.used == "2");
    CHECK(counted->windows[0].taken == 0);
}

TEST_CASE("A record of another version, cut or changed anywhere is an error that says so") {
    const auto good = all_packed(good_texts());
    const auto message = [](std::string_view bytes) {
        const auto record = schemes::decode_operation({"A", 3}, bytes);
        return record ? std::string() : record.error().message;
    };
    CHECK(message("") == "the operation key of A.3 holds nothing that ratectl wrote");
    CHECK(message("5") == "the operation key of A.3 holds nothing that ratectl wrote");
    CHECK(message("1:1") == "the operation key of A.3 was written by another version of ratectl");
    CHECK(message("1:4") == "the operation key of A.3 was written by another version of ratectl");
    CHECK(message("1:3") == "the operation key of A.3 holds a broken record");
    for (std::size_t size = 0; size < good.size(); ++size) CHECK_FALSE(message(good.substr(0, size)).empty());
    CHECK_FALSE(message(good + "-").empty());
    const auto with = [&](std::size_t place, OptionalText text) {
        auto texts = good_texts();
        texts[place] = std::move(text);
        return message(all_packed(texts));
    };
    for (std::size_t place = 0; place < 8; ++place) CHECK_FALSE(with(place, std::nullopt).empty());
    CHECK_FALSE(with(2, "write").empty());
    CHECK_FALSE(with(6, "soon").empty());
    for (const auto* windows : {"1", "3", "02", "-2", "18446744073709551615"}) CHECK_FALSE(with(7, windows).empty());
    CHECK_FALSE(with(8, std::nullopt).empty());
    CHECK_FALSE(with(9, "perhaps").empty());
    CHECK_FALSE(with(9, std::nullopt).empty());
    for (std::size_t place = 14; place < 17; ++place) CHECK_FALSE(with(place, "1.5").empty());
    CHECK(with(14, "12").empty());
}

TEST_CASE("Decoding records is total over random bytes and changes") {
    std::mt19937 random(11);
    const auto good = all_packed(good_texts());
    std::size_t decoded = 0;
    for (int n = 0; n < 50'000; ++n) {
        std::string bytes = good;
        for (auto changes = random() % 4; changes > 0; --changes) {
            bytes[random() % bytes.size()] =
                random() % 2 == 0 ? static_cast<char>(random()) : "0123456789:-"[random() % 12];
        }
        const auto record = schemes::decode_operation({"A", 1}, bytes);
        if (record) REQUIRE(record->windows.size() == 2);
        decoded += record ? 1 : 0;
    }
    CHECK(decoded > 5'000);
    CHECK(decoded < 45'000);
}

}  // namespace
}  // namespace ratectl::test
