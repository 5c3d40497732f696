// Splits argv into flags, values and arguments: flags anywhere, exactly one value each, `--` ends them.
#include "cli/words.h"

#include <fmt/format.h>

#include "cli/other_words.h"
#include "support/suggest.h"

namespace ratectl::cli {
namespace {

using support::ExitCode;
using support::failure;

}  // namespace

template <class Name>
const Flag* Scope::look(Name name) const {
    // A command may have a flag of its own in the place of one that all have: to refuse it.
    if (const Flag* flag = command_ != nullptr ? command_->find(name) : nullptr) return flag;
    if (const Flag* flag = globals_.find(name)) return flag;
    if (command_ == nullptr || child_ != nullptr) return child_ != nullptr ? child_->find(name) : nullptr;
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

tl::unexpected<support::Error> WordReader::unknown(std::string_view text) {
    unknown_ = text;
    const auto names = scope_.names();
    const std::string_view meant = flag_meant(text, names);
    std::string hint = meant.empty() ? support::did_you_mean(text, names) : fmt::format("did you mean '{}'?", meant);
    if (hint.empty() && !text.starts_with("--")) hint = "write -- before an argument that begins with '-'";
    return failure(ExitCode::usage, "unknown flag '" + std::string(text) + "'", std::move(hint));
}

}  // namespace ratectl::cli
