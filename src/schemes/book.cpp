// One row a limiter that people run: whose layout it has, and what it does differently.
#include "schemes/book.h"

#include <map>
#include <mutex>
#include <utility>

#include "schemes/counter/counter_scheme.h"
#include "schemes/window/window_scheme.h"
#include "support/quote.h"

namespace ratectl::schemes {
namespace {

using Made = std::unique_ptr<Scheme>;
using domain::Layout;

Made window_with(std::string suffix, bool carries_over = false) {
    return std::make_unique<window::WindowScheme>(std::move(suffix), carries_over);
}
Made counter_with(counter::Rules rules) { return std::make_unique<counter::CounterScheme>(rules); }

struct Row {
    std::string_view name;
    Made (*make)(const Layout& layout);
};

// Who checks before counting lets one more through; who sets the TTL at the first request must not be brought back to
// 0.
constexpr Row kRows[] = {
    {"window", [](const Layout& layout) { return window_with(layout.expiry_suffix); }},
    {"github", [](const Layout& /*layout*/) { return window_with(Layout().expiry_suffix); }},
    {"laravel", [](const Layout& /*layout*/) { return window_with(":timer", true); }},
    {"counter", [](const Layout& /*layout*/) { return counter_with({}); }},
    {"redis-docs-2", [](const Layout& /*layout*/) { return counter_with({.floor = 1, .lets_one_more = true}); }},
    {"close-v1", [](const Layout& /*layout*/) { return counter_with({.floor = 1}); }},
    {"limits-fixed", [](const Layout& /*layout*/) { return counter_with({.floor = 1, .names_quota = true}); }},
    {"flask-limiter", [](const Layout& /*layout*/) { return counter_with({.floor = 1, .names_quota = true}); }},
    {"fastify", [](const Layout& /*layout*/) { return counter_with({.floor = 1}); }},
    {"express", [](const Layout& /*layout*/) { return counter_with({.begins_anew = true}); }},
    {"rate-limiter-flexible", [](const Layout& /*layout*/) { return counter_with({}); }},
};

/// Looks of several threads may ask at once.
struct Book {
    std::map<std::pair<std::string, std::string>, Made> made;
    std::mutex guard;
};

Made make(const Layout& layout) {
    std::string names;
    for (const auto& row : kRows) {
        if (row.name == layout.scheme) return row.make(layout);
        names.append(names.empty() ? "" : ", ").append(row.name);
    }
    throw support::Failure(support::ExitCode::configuration, "no scheme is called " + support::quoted(layout.scheme),
                           "one of: " + names);
}

}  // namespace

const Scheme& scheme_of(const Layout& layout) {
    static Book book;
    const std::lock_guard lock(book.guard);
    auto& scheme = book.made[{layout.scheme, layout.expiry_suffix}];
    if (!scheme) scheme = make(layout);
    return *scheme;
}

}  // namespace ratectl::schemes
