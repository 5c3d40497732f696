// Completion scripts: they hold every word of the language. Names of deployments, policies, shards and classes are
// asked of `ratectl config names`, and are only ever words to the shell; keys are never looked at.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/grammar.h"

namespace ratectl::cli {

std::string bash_completion(const Language& language);
std::string zsh_completion(const Language& language);
std::string fish_completion(const Language& language);

// What the three share.

/// What follows a flag, or stands as an argument: fixed words, names of the configuration, a file, or something that
/// cannot be known.
enum class Offer { words, names, files, nothing };
Offer offer_of(const Flag& flag, const Grammar& command);
/// The fixed words: its choices, and those too many, or too special, to be listed in the help.
std::vector<std::string> words_of(const Flag& flag, const Grammar& command);
/// Whether one value may be several words with commas between them.
bool is_list(const Flag& flag);
/// The command's flags, and before them the common ones that take something else there than elsewhere.
std::vector<const Flag*> flags_in(const Grammar& command, const Language& language);
std::vector<const Flag*> common_flags_of_its_own(const Grammar& command, const Language& language);
/// Which names: the KIND of `config names`.
std::string names_of(const Flag& flag);
/// Every written form of every flag that takes a value (`--output`, `-o`), each once.
std::vector<std::string> flags_with_value(const Language& language);
/// Calls `visit` for each command and, after it, its sub-commands.
void for_each_grammar(const Language& language, const std::function<void(const Grammar&)>& visit);
std::vector<const Flag*> shown_flags(const Grammar& grammar);
/// Commands and topics: what `help` takes.
std::vector<std::string> help_words(const Language& language);
std::string joined(const std::vector<std::string>& words, std::string_view separator);

}  // namespace ratectl::cli
