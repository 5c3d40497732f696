// The zsh script: _arguments specifications, one case per command.
#include <fmt/core.h>

#include "cli/completion.h"
#include "support/quote.h"

namespace ratectl::cli {
namespace {

constexpr std::string_view kNames =
    R"(# The words are fixed. Names of deployments, policies, shards and classes come from `ratectl config names`; zsh takes each as one
# word, and evaluates neither them nor what stands on the command line.

# Names of one kind, from the configuration that -c and -d mean.
_ratectl_names() {
  local -a given names
  local i
  for ((i = 2; i < ${#_ratectl_line}; i++)); do
    case ${_ratectl_line[i]} in
      -c|--config) given+=(-c "${${(Q)_ratectl_line[i+1]}/#\~\//$HOME/}") ;;
      -d|--deployment) given+=(-d "${(Q)_ratectl_line[i+1]}") ;;
      --config=*|--deployment=*) given+=("${(Q)_ratectl_line[i]}") ;;
    esac
  done
  names=("${(@f)$(command ratectl config names $1 -o name $given 2>/dev/null </dev/null)}")
  compadd -- "${(@)names:#}"
}
_ratectl_names_deployments() { _ratectl_names deployments }
_ratectl_names_policies() { _ratectl_names policies }
_ratectl_names_shards() { _ratectl_names shards }
_ratectl_names_classes() { _ratectl_names classes }
_ratectl_names_operations() { _ratectl_names operations }

)";

/// For the inside of `[...]` and `:message:` of a specification.
std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
        out += c;
    }
    return out;
}

std::string action(const Flag& flag, const Grammar& command) {
    switch (offer_of(flag, command)) {
        case Offer::words:
            if (is_list(flag)) return "_sequence compadd - " + joined(words_of(flag, command), " ");
            return "(" + escaped(joined(words_of(flag, command), " ")) + ")";
        case Offer::names: return "_ratectl_names_" + names_of(flag);
        case Offer::files: return "_files";
        case Offer::nothing: break;
    }
    return "";
}

std::string value_spec(const Flag& flag, const Grammar& command) {
    if (!flag.takes_value()) return "";
    return ":" + escaped(flag.choices.empty() ? flag.value : flag.name) + ":" + action(flag, command);
}

std::string flag_spec(const Flag& flag, const Grammar& command) {
    const std::string tail = "[" + escaped(flag.about) + "]" + value_spec(flag, command);
    const std::string star = flag.repeatable ? "*" : "";
    std::string out = "    " + support::shell_quoted(star + "--" + flag.name + tail) + "\n";
    if (flag.letter != 0) out += "    " + support::shell_quoted(star + std::string{'-', flag.letter} + tail) + "\n";
    return out;
}

std::string flag_specs(const std::vector<const Flag*>& flags, const Grammar& command) {
    std::string out;
    for (const Flag* flag : flags) out += flag_spec(*flag, command);
    return out;
}

/// The common flags, but those that the command describes itself.
std::string other_common_flags(const Grammar& command, const Language& language) {
    std::string forms;
    for (const Flag* flag : common_flags_of_its_own(command, language)) {
        forms += (forms.empty() ? "--" : "|--") + flag->name;
        if (flag->letter != 0) forms += std::string{"|-"} + flag->letter;
    }
    return forms.empty() ? "$_ratectl_common" : "${_ratectl_common:#(" + forms + ")\\[*}";
}

std::string argument_specs(const Grammar& grammar, const Language& language) {
    std::string out;
    for (const Flag& argument : grammar.arguments) {
        const std::string words =
            grammar.path == "help" ? "(" + joined(help_words(language), " ") + ")" : action(argument, grammar);
        out += "    " +
               support::shell_quoted((argument.repeatable ? "*:" : ":") + escaped(argument.name) + ":" + words) + "\n";
    }
    return out;
}

std::string function_name(const Grammar& grammar) {
    std::string name = "_ratectl_" + grammar.path;
    for (char& c : name) {
        if (c == ' ' || c == '-') c = '_';
    }
    return name;
}

/// `local -a words` with `name:summary` entries, and _describe.
std::string describe(std::string_view what, const std::vector<std::pair<std::string, std::string>>& entries) {
    std::string out = "  local -a words=(\n";
    for (const auto& [name, summary] : entries)
        out += "    " + support::shell_quoted(escaped(name) + ":" + escaped(summary)) + "\n";
    return out + fmt::format("  )\n  _describe -t {0}s {0} words\n", what);
}

std::string dispatch(const Grammar& grammar) {
    std::string out = fmt::format("{}_words() {{\n", function_name(grammar));
    std::vector<std::pair<std::string, std::string>> entries;
    for (const Grammar& child : grammar.children) entries.emplace_back(child.name, child.summary);
    out += describe("command", entries) + "}\n\n";
    out += fmt::format("{}() {{\n  local curcontext=$curcontext state line\n  local -A opt_args\n",
                       function_name(grammar));
    out += "  _arguments -C -s -S $_ratectl_common \\\n";
    out += fmt::format("    ':command:{}_words' '*::argument:->rest'\n", function_name(grammar));
    out += "  [[ $state == rest ]] || return\n  case $words[1] in\n";
    for (const Grammar& child : grammar.children)
        out += fmt::format("    {}) {} ;;\n", child.name, function_name(child));
    return out + "  esac\n}\n\n";
}

std::string leaf(const Grammar& grammar, const Language& language) {
    std::string out = fmt::format("{}() {{\n  local -a own=(\n", function_name(grammar));
    out += flag_specs(flags_in(grammar, language), grammar) + argument_specs(grammar, language);
    return out + "  )\n  _arguments -s -S " + other_common_flags(grammar, language) + " $own\n}\n\n";
}

}  // namespace

std::string zsh_completion(const Language& language) {
    std::string out = "#compdef ratectl\n# zsh completion for ratectl; made by `ratectl completion zsh`.\n";
    out += kNames;
    out += "typeset -ga _ratectl_common\n_ratectl_common=(\n" +
           flag_specs(shown_flags(language.globals.grammar), language.globals.grammar) + ")\n\n";
    Grammar program;
    program.path = "program";
    for (const BoundCommand& command : language.commands) program.children.push_back(command.grammar);
    for_each_grammar(language, [&](const Grammar& grammar) {
        out += grammar.children.empty() ? leaf(grammar, language) : dispatch(grammar);
    });
    out += dispatch(program);
    out += "_ratectl_start() {\n  local -a _ratectl_line=(\"${words[@]}\")\n  _ratectl_program \"$@\"\n}\n\n";
    return out +
           "if [[ $funcstack[1] == _ratectl ]]; then\n  _ratectl_start \"$@\"\nelse\n"
           "  compdef _ratectl_start ratectl\nfi\n";
}

}  // namespace ratectl::cli
