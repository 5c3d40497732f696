// Gives flags and arguments their values: checks choices, repetition and the order of arguments.
#include "cli/assign.h"

#include <algorithm>

#include <fmt/format.h>

#include "support/suggest.h"

namespace ratectl::cli {
namespace {

using support::ExitCode;
using support::failure;
using support::Result;

Result<void> check_choice(const Flag& flag, const std::string& value) {
    if (flag.choices.empty() || flag.open || std::ranges::find(flag.choices, value) != flag.choices.end()) return {};
    std::string hint = support::did_you_mean(value, flag.choices);
    if (hint.empty()) hint = fmt::format("one of {}", fmt::join(flag.choices, ", "));
    return failure(ExitCode::usage, flag.shown() + ": '" + value + "' is not one of its values", std::move(hint));
}

Result<void> check_value(const Flag& flag, const std::string& value) {
    if (flag.separator == 0) return check_choice(flag, value);
    std::size_t begin = 0;
    while (begin <= value.size()) {
        const std::size_t end = std::min(value.find(flag.separator, begin), value.size());
        const std::string part = value.substr(begin, end - begin);
        if (part.empty()) return failure(ExitCode::usage, flag.shown() + ": '" + value + "' has an empty part");
        if (auto ok = check_choice(flag, part); !ok) return ok;
        begin = end + 1;
    }
    return {};
}

Result<void> assign_flag(const Scope& scope, const Word& word) {
    const Flag* flag = scope.find(word.flag);
    if (flag == nullptr) {
        return failure(ExitCode::usage, "--" + word.flag + " does not belong to '" + scope.child()->path + "'",
                       "see: ratectl help " + scope.child()->path);
    }
    if (!flag->takes_value()) {
        add_value(*flag, "true");
        return {};
    }
    if (is_given(*flag) && !flag->repeatable) return failure(ExitCode::usage, flag->shown() + " is given twice");
    if (auto ok = check_value(*flag, word.value); !ok) return ok;
    add_value(*flag, word.value);
    return {};
}

Result<void> assign_arguments(const Grammar& grammar, std::span<const std::string> values) {
    auto slot = grammar.arguments.begin();
    for (const std::string& value : values) {
        if (slot == grammar.arguments.end()) {
            std::string hint = grammar.arguments.empty() ? "'" + grammar.path + "' takes none" : "";
            return failure(ExitCode::usage, "unexpected argument '" + value + "'", std::move(hint));
        }
        if (auto ok = check_choice(*slot, value); !ok) return ok;
        add_value(*slot, value);
        if (!slot->repeatable) ++slot;
    }
    return {};
}

}  // namespace

Result<void> assign(const Scope& scope, const Grammar& globals, std::span<const Word> flags,
                    std::span<const std::string> arguments) {
    for (const Word& word : flags) {
        if (auto ok = assign_flag(scope, word); !ok) return ok;
    }
    const Grammar& target = scope.child() != nullptr ? *scope.child() : *scope.command();
    if (auto ok = assign_arguments(target, arguments); !ok) return ok;
    if (auto ok = store_values(globals); !ok) return ok;
    if (scope.child() != nullptr) {
        if (auto ok = store_values(*scope.child()); !ok) return ok;
    }
    return store_values(*scope.command());
}

}  // namespace ratectl::cli
