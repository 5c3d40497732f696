// One row a scheme.
#include "schemes/book.h"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "schemes/window/window_scheme.h"
#include "support/quote.h"

namespace ratectl::schemes {
namespace {

/// Looks of several threads may ask at once.
struct Book {
    std::map<std::string, MakeScheme> makers{
        {"window",
         [](const domain::Layout& layout) { return std::make_unique<window::WindowScheme>(layout.expiry_suffix); }},
    };
    std::map<std::pair<std::string, std::string>, std::unique_ptr<Scheme>> made;
    std::mutex guard;
};

Book& book() {
    static Book all;
    return all;
}

}  // namespace

void add_scheme(std::string name, MakeScheme make) {
    const std::lock_guard lock(book().guard);
    book().makers.insert_or_assign(std::move(name), std::move(make));
}

const Scheme& scheme_of(const domain::Layout& layout) {
    const std::lock_guard lock(book().guard);
    auto& scheme = book().made[{layout.scheme, layout.expiry_suffix}];
    if (scheme) return *scheme;
    const auto maker = book().makers.find(layout.scheme);
    if (maker == book().makers.end()) {
        std::string names;
        for (const auto& [name, make] : book().makers) names += (names.empty() ? "" : ", ") + name;
        throw support::Failure(support::ExitCode::configuration,
                               "no scheme is called " + support::quoted(layout.scheme), "one of: " + names);
    }
    scheme = maker->second(layout);
    return *scheme;
}

}  // namespace ratectl::schemes
