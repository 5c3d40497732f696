// argv taken apart: which word is a flag, which its value, which the command; and the values stored where they belong.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/grammar.h"

namespace ratectl::cli {

/// One flag as written, or an argument (empty name).
struct Word {
    std::string flag;  // long name, without dashes
    std::string value;
};

/// Finds flags in the command, the common options and, until one is chosen, all of its sub-commands.
class Scope {
public:
    explicit Scope(const Grammar& globals) : globals_(globals) {}

    void enter(const Grammar& command) { command_ = &command; }
    void choose(const Grammar& child) { child_ = &child; }
    const Grammar* command() const { return command_; }
    const Grammar* child() const { return child_; }

    const Flag* find(std::string_view long_name) const;
    const Flag* find(char letter) const;
    /// Every long flag that may be written here and is not refused, with its dashes: for suggestions.
    std::vector<std::string> names() const;
    /// `'--first' is a flag of scan, history and 2 more`; empty where it is none of theirs.
    std::string others_with(std::string_view flag) const;

private:
    template <class Name>
    const Flag* look(Name name) const;

    const Grammar& globals_;
    const Grammar* command_ = nullptr;
    const Grammar* child_ = nullptr;
};

/// Walks argv. Every call gives the next flag or argument; errors are of class usage and carry a hint.
class WordReader {
public:
    WordReader(std::span<const std::string_view> arguments, const Scope& scope)
        : arguments_(arguments), scope_(scope) {}

    /// Null at the end.
    support::Result<std::optional<Word>> next();
    /// The flag that next() just failed on, when it failed because there is no such flag.
    const std::string& unknown_flag() const { return unknown_; }

private:
    support::Result<std::optional<Word>> long_flag(std::string_view text);
    support::Result<std::optional<Word>> letters(std::string_view text);
    support::Result<std::optional<Word>> with_value(const Flag& flag, std::string_view written);
    tl::unexpected<support::Error> unknown(std::string_view text);

    std::span<const std::string_view> arguments_;
    const Scope& scope_;
    std::size_t at_ = 0;
    std::string_view rest_;  // letters still to read of `-nv`
    bool flags_ended_ = false;
    std::string unknown_;
};

/// Puts every word where it belongs and stores the values; errors of class usage. `arguments` has no command words in
/// it.
support::Result<void> assign(const Scope& scope, const Grammar& globals, std::span<const Word> flags,
                             std::span<const std::string> arguments);

}  // namespace ratectl::cli
