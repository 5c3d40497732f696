// Splits argv into flags, values and arguments: flags anywhere, exactly one value each, `--` ends them.
#include "cli/words.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/other_words.h"
#include "commands/all_commands.h"
#include "support/suggest.h"

namespace ratectl::cli {
namespace {

using support::ExitCode;
using support::failure;

using support::Result;

/// Those that have a flag which another has not, in a hint.
constexpr std::size_t kNamedCommands = 3;

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

/// What it would be told is then not asked for. A command that prints no rows has no such answer.
bool asks_for_columns(const Grammar& grammar, std::span<const Word> flags) {
    return !commands::completion_values(grammar.path, "columns", "").empty() &&
           std::ranges::any_of(flags, [](const Word& word) { return word.flag == "columns" && word.value == "help"; });
}

}  // namespace

template <class Name>
const Flag* Scope::look(Name name) const {
    // A command may have a flag of its own in the place of one that all have: to refuse it.
    for (const Grammar* own : {child_, command_}) {
        if (const Flag* flag = own != nullptr ? own->find(name) : nullptr) return flag;
    }
    if (const Flag* flag = globals_.find(name)) return flag;
    if (command_ == nullptr || child_ != nullptr) return nullptr;
    for (const Grammar& child : command_->children) {
        if (const Flag* flag = child.find(name)) return flag;
    }
    return nullptr;
}

const Flag* Scope::find(std::string_view long_name) const { return look(long_name); }
const Flag* Scope::find(char letter) const { return look(letter); }

std::vector<std::string> Scope::names() const {
    std::vector<std::string> names;
    const auto add = [&](const Grammar& grammar) {
        for (const Flag& flag : grammar.flags) {
            // What every command has may be refused by this one.
            if (!flag.hidden && !find(flag.name)->hidden) names.push_back("--" + flag.name);
        }
    };
    add(globals_);
    if (command_ != nullptr) add(*command_);
    if (child_ != nullptr) add(*child_);
    if (command_ != nullptr && child_ == nullptr) {
        for (const Grammar& child : command_->children) add(child);
    }
    return names;
}

support::Result<std::optional<Word>> WordReader::next() {
    if (!rest_.empty()) return letters(rest_);
    if (at_ == arguments_.size()) return std::optional<Word>{};
    const std::string_view text = arguments_[at_++];
    if (flags_ended_ || text.size() < 2 || text.front() != '-') return std::optional<Word>{Word{{}, std::string(text)}};
    if (text == "--") {
        flags_ended_ = true;
        return next();
    }
    return text[1] == '-' ? long_flag(text) : letters(text.substr(1));
}

support::Result<std::optional<Word>> WordReader::long_flag(std::string_view text) {
    const std::size_t equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    const Flag* flag = scope_.find(name.substr(2));
    if (flag == nullptr) return unknown(name);
    if (equals == std::string_view::npos) {
        if (flag->takes_value()) return with_value(*flag, name);
        return std::optional<Word>{Word{flag->name, {}}};
    }
    if (!flag->takes_value()) return failure(ExitCode::usage, std::string(name) + " takes no value");
    if (equals + 1 == text.size()) return failure(ExitCode::usage, std::string(name) + ": its value is empty");
    return std::optional<Word>{Word{flag->name, std::string(text.substr(equals + 1))}};
}

support::Result<std::optional<Word>> WordReader::letters(std::string_view text) {
    const std::string written{'-', text.front()};
    const Flag* flag = scope_.find(text.front());
    rest_ = {};
    if (flag == nullptr) return unknown("-" + std::string(text));
    text.remove_prefix(1);
    if (!flag->takes_value()) {
        rest_ = text;
        return std::optional<Word>{Word{flag->name, {}}};
    }
    if (text.empty()) return with_value(*flag, written);
    return std::optional<Word>{Word{flag->name, std::string(text)}};
}

/// The next word, unless it is itself a flag: `--client --limit 5` is a forgotten client, not a client called --limit.
support::Result<std::optional<Word>> WordReader::with_value(const Flag& flag, std::string_view written) {
    const std::string name(written);
    if (at_ == arguments_.size()) return failure(ExitCode::usage, name + " needs a value: " + flag.value);
    const std::string_view value = arguments_[at_];
    if (value.empty()) return failure(ExitCode::usage, name + ": its value is empty");
    const bool is_flag = value == "--" || (value.starts_with("--") && scope_.find(value.substr(2)) != nullptr);
    if (is_flag) {
        return failure(ExitCode::usage, name + " needs a value, and '" + std::string(value) + "' follows",
                       "if that is the value, write --" + flag.name + "=" + std::string(value));
    }
    ++at_;
    return std::optional<Word>{Word{flag.name, std::string(value)}};
}

/// A flag that other commands have is no slip of the pen, but taken for one of this command.
std::string Scope::others_with(std::string_view flag) const {
    std::vector<std::string> others;
    if (command_ == nullptr || !flag.starts_with("--")) return {};
    const auto has = [name = flag.substr(2)](const Grammar& one) {
        const Flag* found = one.find(name);
        return found != nullptr && !found->hidden;
    };
    const Language language = whole_language();
    for (const BoundCommand& other : language.commands) {
        if (has(other.grammar)) others.push_back(other.grammar.path);
        for (const Grammar& child : other.grammar.children) {
            if (has(child)) others.push_back(child.path);
        }
    }
    if (others.empty()) return {};
    const std::size_t more = others.size() - std::min(others.size(), kNamedCommands);
    others.resize(others.size() - more);
    return fmt::format("'{}' is a flag of {}{}", flag, fmt::join(others, ", "),
                       more == 0 ? "" : fmt::format(" and {} more", more));
}

tl::unexpected<support::Error> WordReader::unknown(std::string_view text) {
    unknown_ = text;
    const auto names = scope_.names();
    const std::string_view meant = flag_meant(text, names);
    std::string hint = meant.empty() ? scope_.others_with(text) : fmt::format("did you mean '{}'?", meant);
    if (hint.empty()) hint = support::did_you_mean(text, names);
    if (hint.empty() && !text.starts_with("--")) hint = "write -- before an argument that begins with '-'";
    return failure(ExitCode::usage, "unknown flag '" + std::string(text) + "'", std::move(hint));
}

Result<void> assign(const Scope& scope, const Grammar& globals, std::span<const Word> flags,
                    std::span<const std::string> arguments) {
    for (const Word& word : flags) {
        if (auto ok = assign_flag(scope, word); !ok) return ok;
    }
    if (scope.command() == nullptr) return store_values(globals);
    const Grammar& target = scope.child() != nullptr ? *scope.child() : *scope.command();
    if (auto ok = assign_arguments(target, arguments); !ok) return ok;
    if (auto ok = store_values(globals); !ok) return ok;
    const bool lists = asks_for_columns(target, flags);
    if (scope.child() != nullptr) {
        if (auto ok = store_values(*scope.child(), lists); !ok) return ok;
    }
    return store_values(*scope.command(), lists);
}

}  // namespace ratectl::cli
