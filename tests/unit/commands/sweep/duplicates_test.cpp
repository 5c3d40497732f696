// The words for copies, and the memory of the finder.
#include "commands/sweep/duplicates.h"
#include "commands/sweep/duplicate_finder.h"
#include "support/catch.h"
#include "support/contains.h"
#include "support/window_look.h"

namespace ratectl::commands {
namespace {

using test::contains;

domain::WindowLook copy_with(std::optional<std::string> used, std::optional<std::string> reset) {
    auto look = test::window_look();
    look.key = "core:1";
    counter_part(look).value = std::move(used);
    expiry_part(look).value = std::move(reset);
    return look;
}

std::string words_for(const domain::WindowLook& a, const domain::WindowLook& b) {
    const auto now = support::from_epoch(1000);
    const Copy copies[] = {{"alpha", &a, now}, {"beta", &b, now}};
    return describe_copies(copies);
}

}  // namespace

TEST_CASE("copies are told apart by their end and their count") {
    CHECK(contains(words_for(copy_with("5", "2000"), copy_with("3", "3000")),
                   "'alpha' (5 used, resets 1970-01-01T00:33:20Z) and 'beta' (3 used"));
    CHECK(contains(words_for(copy_with("5", "2000"), copy_with("3", "3000")),
                   "; 'beta' has the newer window, 'alpha' has the larger count"));
    CHECK(contains(words_for(copy_with("5", "4000"), copy_with("3", "3000")),
                   "; 'alpha' has the newer window and the larger count"));
    CHECK(contains(words_for(copy_with("5", "2000"), copy_with("6", "2000")), "; 'beta' has the larger count"));
    CHECK_FALSE(contains(words_for(copy_with("5", "2000"), copy_with("5", "2000")), ";"));
    CHECK(contains(words_for(copy_with("5", "900"), copy_with("5", "2000")), "'alpha' (closed)"));
}

TEST_CASE("a second sighting is told once and a first never") {
    DuplicateFilter sightings;
    for (std::uint64_t i = 1; i <= 5000; ++i) CHECK_FALSE(sightings.again(i * 0x9e3779b97f4a7c15ULL));
    for (std::uint64_t i = 1; i <= 5000; i += 7) CHECK(sightings.again(i * 0x9e3779b97f4a7c15ULL));
    for (std::uint64_t i = 1; i <= 5000; i += 7) CHECK_FALSE(sightings.again(i * 0x9e3779b97f4a7c15ULL));
    CHECK_FALSE(sightings.next_part());
}

TEST_CASE("what does not fit into memory is found in later sweeps") {
    DuplicateFilter sightings(1024);
    const auto hash = [](std::uint64_t i) {
        const std::uint64_t mixed = (i + 1) * 0x9e3779b97f4a7c15ULL;
        return mixed ^ (mixed >> 29U);
    };
    int found = 0;
    int sweeps = 0;
    do {
        ++sweeps;
        for (std::uint64_t i = 0; i < 5000; ++i) found += sightings.again(hash(i)) ? 1 : 0;
        for (std::uint64_t i = 0; i < 5000; i += 10) found += sightings.again(hash(i)) ? 1 : 0;
    } while (sightings.next_part());
    CHECK(found == 500);
    CHECK(sweeps > 5);
    CHECK(sweeps < 30);
}

}  // namespace ratectl::commands
