// What a dump's windows are: joined, of one db, at the moment of the picture, as a scan of the server would have shown
// them.
#include "commands/dumps/rdb_picture.h"
#include "schemes/book.h"

#include <algorithm>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/window_look.h"
#include "unit/input/rdb_maker.h"

using namespace ratectl;
using commands::RdbPicture;
using domain::WindowLook;
using test::RdbMaker;

namespace {

constexpr std::int64_t kPictured = 1'767'225'600;

struct Taken {
    std::vector<WindowLook> looks;
    std::string complaint;
    std::uint64_t db = 0;
    std::optional<std::uint64_t> other_db;
    std::uint64_t too_long = 0;

    std::vector<std::string> keys() const {
        std::vector<std::string> keys;
        for (const auto& look : looks) keys.push_back(look.key);
        std::sort(keys.begin(), keys.end());
        return keys;
    }
    const WindowLook& at(const std::string& key) const {
        const auto found = std::find_if(looks.begin(), looks.end(), [&](const auto& look) { return look.key == key; });
        if (found == looks.end()) throw std::logic_error("no window " + key);
        return *found;
    }
};

using Keys = std::vector<std::string>;

Taken take(const std::string& bytes, const store::ScanQuestion& question = {},
           std::optional<std::uint64_t> db = std::nullopt, std::size_t page = 3) {
    Taken taken;
    std::optional<RdbPicture> picture;
    std::vector<WindowLook> looks(page);
    const auto keep = [&](std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) taken.looks.push_back(looks[i]);
    };
    try {
        picture.emplace(std::make_unique<input::StringSource>(bytes, "dump.rdb"),
                        commands::PictureOptions{schemes::scheme_of({"window", ":exp"}), db, "secret"}, question);
        picture->set_moment(support::from_epoch(kPictured));
        while (const std::size_t count = picture->fill(looks)) keep(count);
    } catch (const support::Failure& failure) {
        taken.complaint = failure.error().message;
        if (picture) keep(picture->filled());
    }
    if (!picture) return taken;
    taken.db = picture->db();
    taken.other_db = picture->other_db();
    taken.too_long = picture->keys_too_long();
    return taken;
}

store::ScanQuestion full() {
    store::ScanQuestion question;
    question.depth = domain::LookDepth::full;
    return question;
}

store::ScanQuestion with_orphans(domain::LookDepth depth = domain::LookDepth::light) {
    store::ScanQuestion question;
    question.depth = depth;
    question.orphan_counters = [](std::string_view key) { return key.starts_with("core:"); };
    return question;
}

}  // namespace

TEST_CASE("windows of a dump are joined whatever stands between their parts") {
    RdbMaker made;
    made.db(0).string("core:a", "17").string("core:b:exp", "100").key(1, "a list").length(1).texts(1);
    made.string("core:c", "3").string("core:b", "5").string("core:a:exp", "200").string("core:c:exp", "300");
    const Taken taken = take(made.ended());
    CHECK(taken.complaint.empty());
    CHECK(taken.keys() == Keys{"core:a", "core:b", "core:c"});
    CHECK(counter_part(taken.at("core:a")).value == "17");
    CHECK(expiry_part(taken.at("core:a")).value == "200");
    CHECK(counter_part(taken.at("core:b")).value == "5");
    CHECK(expiry_part(taken.at("core:b")).value == "100");
    CHECK_FALSE(counter_part(taken.at("core:a")).type.has_value());
    CHECK_FALSE(counter_part(taken.at("core:a")).ttl_ms.has_value());
}

TEST_CASE("a full look has types and lifetimes as the server would say them") {
    RdbMaker made;
    made.db(0).window("core:a", "17", kPictured + 60);
    made.string("core:leaked", "1").string("core:leaked:exp", "5");
    made.key(1, "core:list").length(1).texts(1).expires_ms((kPictured + 9) * 1000 + 5).string("core:list:exp", "7");
    made.string("core:odd", "1").key(16, "core:odd:exp").text("a listpack");
    const Taken taken = take(made.ended(), full());
    const WindowLook& a = taken.at("core:a");
    CHECK(a.depth == domain::LookDepth::full);
    CHECK(counter_part(a).type == "string");
    CHECK(counter_part(a).ttl_ms == 61'000);
    CHECK(counter_part(a).expires_at_ms == (kPictured + 61) * 1000);
    CHECK(counter_part(taken.at("core:leaked")).ttl_ms == -1);
    CHECK_FALSE(expiry_part(taken.at("core:leaked")).expires_at_ms.has_value());
    CHECK(counter_part(taken.at("core:list")).type == "list");
    CHECK_FALSE(counter_part(taken.at("core:list")).value.has_value());
    CHECK(expiry_part(taken.at("core:list")).ttl_ms == 9'005);
    CHECK(expiry_part(taken.at("core:odd")).type == "hash");
    CHECK(counter_part(taken.at("core:odd")).value == "1");
}

TEST_CASE("a light look takes a wrong type for absence as the answer of a server would") {
    RdbMaker made;
    made.db(0).key(1, "core:list").length(1).texts(1).string("core:list:exp", "7");
    made.string("core:odd", "1").key(1, "core:odd:exp").length(1).texts(1);
    made.key(1, "core:both").length(1).texts(1).key(1, "core:both:exp").length(1).texts(1);
    const Taken taken = take(made.ended());
    CHECK(taken.keys() == Keys{"core:list", "core:odd"});
    CHECK_FALSE(counter_part(taken.at("core:list")).value.has_value());
    CHECK_FALSE(expiry_part(taken.at("core:odd")).value.has_value());
    CHECK(take(made.ended(), full()).keys() == Keys{"core:both", "core:list", "core:odd"});
}

TEST_CASE("lone parts come at the end and counters only where they are asked for") {
    RdbMaker made;
    made.db(0)
        .string("core:counter", "1")
        .string("core:expiry:exp", "100")
        .string("other", "2")
        .window("core:a", "3", kPictured + 5);
    made.key(2, "core:set").length(1).texts(1);
    CHECK(take(made.ended()).keys() == Keys{"core:a", "core:expiry"});
    const Taken orphans = take(made.ended(), with_orphans());
    CHECK(orphans.keys() == Keys{"core:a", "core:counter", "core:expiry"});
    CHECK(orphans.looks.front().key == "core:a");
    const Taken types = take(made.ended(), with_orphans(domain::LookDepth::full));
    CHECK(types.keys() == Keys{"core:a", "core:counter", "core:expiry", "core:set"});
    CHECK(expiry_part(types.at("core:counter")).type == "none");
    CHECK(expiry_part(types.at("core:counter")).ttl_ms == -2);
    CHECK(counter_part(types.at("core:set")).type == "set");
}

TEST_CASE("keys that had expired by the moment of the picture are not in it") {
    RdbMaker made;
    made.db(0)
        .window("core:over", "1", kPictured - 2)
        .window("core:last second", "2", kPictured - 1)
        .window("core:open", "3", kPictured);
    CHECK(take(made.ended()).keys() == Keys{"core:last second", "core:open"});
}

TEST_CASE("operation keys are never windows") {
    RdbMaker made;
    made.db(0)
        .string("ratectl:op:01ARZ3NDEKTSV4RRFFQ69G5FAV.1", "x")
        .string("ratectl:op:01ARZ3NDEKTSV4RRFFQ69G5FAV.1:exp", "1");
    made.window("core:a", "1", kPictured);
    CHECK(take(made.ended(), with_orphans()).keys() == Keys{"core:a"});
}

TEST_CASE("only windows that match the pattern are taken") {
    RdbMaker made;
    made.db(0)
        .window("core:a", "1", kPictured)
        .window("core:b", "2", kPictured)
        .window("search:a", "3", kPictured)
        .window("core:", "4", kPictured);
    const auto keys = [&](const std::string& glob) {
        store::ScanQuestion question;
        question.glob = glob;
        return take(made.ended(), question).keys();
    };
    CHECK(keys("core:*") == Keys{"core:", "core:a", "core:b"});
    CHECK(keys("core:?") == Keys{"core:a", "core:b"});
    CHECK(keys("*:a") == Keys{"core:a", "search:a"});
    CHECK(keys("core:a") == Keys{"core:a"});
    CHECK(keys("core:a*p").empty());
}

TEST_CASE("a window whose own key ends like an expiry part is joined too") {
    for (const bool longer_first : {false, true}) {
        RdbMaker made;
        made.db(0);
        if (longer_first) made.string("core:a:exp:exp", "300");
        made.string("core:a:exp", "200");
        if (!longer_first) made.string("core:a:exp:exp", "300");
        made.string("core:a", "17");
        const Taken taken = take(made.ended(), with_orphans());
        CHECK(taken.keys() == Keys{"core:a", "core:a:exp"});
        CHECK(expiry_part(taken.at("core:a")).value == "200");
        CHECK(counter_part(taken.at("core:a:exp")).value == "200");
        CHECK(expiry_part(taken.at("core:a:exp")).value == "300");
        store::ScanQuestion exactly;
        exactly.glob = "core:a:exp";
        const Taken one = take(made.ended(), exactly);
        CHECK(one.keys() == Keys{"core:a:exp"});
        CHECK(counter_part(one.at("core:a:exp")).value == "200");
    }
}

TEST_CASE("the windows of one db are taken and others are told of") {
    RdbMaker made;
    made.db(0)
        .string("session", "x")
        .db(2)
        .window("core:two", "2", kPictured)
        .db(5)
        .window("core:five", "5", kPictured);
    const Taken first = take(made.ended());
    CHECK(first.keys() == Keys{"core:two"});
    CHECK(first.db == 2);
    CHECK(first.other_db == 5);
    const Taken fifth = take(made.ended(), {}, 5);
    CHECK(fifth.keys() == Keys{"core:five"});
    CHECK(fifth.other_db == 2);
    CHECK(take(made.ended(), {}, 0).looks.empty());
    CHECK(take(made.ended(), with_orphans()).keys() == Keys{"core:two"});
}

TEST_CASE("a window is joined only if its counter is worth a look") {
    RdbMaker made;
    made.db(0).window("core:a", "10", kPictured).window("core:b", "99", kPictured).string("core:c:exp", "5");
    store::ScanQuestion question;
    std::vector<std::string> asked;
    question.worth_a_look = [&](std::string_view key, std::string_view counter) {
        asked.emplace_back(key);
        return counter == "99";
    };
    CHECK(take(made.ended(), question).keys() == Keys{"core:b"});
    CHECK(asked == Keys{"core:a", "core:b", "core:c"});
}

TEST_CASE("what was joined before the damage is given and lone parts are not") {
    RdbMaker made;
    made.db(0);
    for (int i = 0; i < 100; ++i) made.window("core:" + std::to_string(i), "1", kPictured);
    made.string("core:lone:exp", "5").byte(8);
    const Taken taken = take(made.ended(), with_orphans());
    CHECK(taken.looks.size() == 100);
    CHECK(taken.complaint.find("dump.rdb: unreadable from byte ") == 0);
    std::string bytes = RdbMaker().db(0).window("core:a", "17", kPictured).ended();
    bytes[bytes.find("17")] = '2';
    const Taken wrong = take(bytes);
    CHECK(wrong.keys() == Keys{"core:a"});
    CHECK(wrong.complaint.find("its checksum is wrong") != std::string::npos);
    const Taken twice = take(RdbMaker().db(0).window("core:a", "1", kPictured).string("core:a", "2").ended());
    CHECK(twice.keys() == Keys{"core:a"});
    CHECK(twice.complaint.find("the key 'core:a' occurs twice") != std::string::npos);
}

TEST_CASE("keys too long for a window are counted") {
    const std::string big(70'000, 'k');
    const Taken taken = take(RdbMaker().db(0).string(big, "1").window("core:a", "1", kPictured).ended());
    CHECK(taken.keys() == Keys{"core:a"});
    CHECK(taken.too_long == 1);
}
