// The bash script: one function, one case per command.
#include <fmt/core.h>

#include "cli/completion.h"
#include "support/quote.h"

namespace ratectl::cli {
namespace {

constexpr std::string_view kBashHead = R"(# bash completion for ratectl; made by `ratectl completion bash`.
# The words are fixed. Names of deployments, policies, shards and classes come from `ratectl config names`; bash gets them
# quoted and evaluates nothing, neither them nor what stands on the command line.

_ratectl_words() {
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
}

_ratectl_files() {
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
}

# Takes the backslashes off a word; fails where the shell would have something to evaluate or quotes to match.
_ratectl_plain() {
    local rest=$1
    plain=''
    while [[ -n $rest ]]; do
        case $rest in
            \\?*) plain+=${rest:1:1} rest=${rest:2} ;;
            [\'\"\$\`\\]*) return 1 ;;
            *) plain+=${rest:0:1} rest=${rest:1} ;;
        esac
    done
    [[ $1 != \~/* ]] || plain=$HOME/${plain:2}
}

# A name with spaces or quotes is offered as it has to be typed.
_ratectl_names() {
    local name written names=()
    ((unsure)) && return
    mapfile -t names < <(command ratectl config names "$1" -o name "${given[@]}" 2>/dev/null </dev/null)
    for name in "${names[@]}"; do
        printf -v written %q "$name"
        [[ $name == "$cur"* || $written == "$cur"* ]] && COMPREPLY+=("$written")
    done
}

# A value that may be several words: what stands before the last comma stays.
_ratectl_list() {
    local before='' i
    if [[ $cur == *,* ]]; then
        before=${cur%,*},
        cur=${cur##*,}
    fi
    "$@"
    for i in "${!COMPREPLY[@]}"; do COMPREPLY[i]=$before${COMPREPLY[i]}; done
}

_ratectl() {
    local cur prev command='' child='' word skip=0 i flag='' plain='' unsure=0 given=()
    COMPREPLY=()
    cur=${COMP_WORDS[COMP_CWORD]}
    prev=${COMP_WORDS[COMP_CWORD - 1]}
    if [[ $cur == '=' ]]; then
        cur=''
    elif [[ $prev == '=' ]]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if ((skip)); then
            [[ $word == '=' ]] && continue
            skip=0
            case $flag in
                -c | --config | -d | --deployment) _ratectl_plain "$word" && given+=("$flag" "$plain") || unsure=1 ;;
            esac
            continue
        fi
        flag=$word
        case $word in
)";

constexpr std::string_view kBashWalk = R"() skip=1 ;;
            -*) ;;
            *)
                if [[ -z $command ]]; then
                    command=$word
                elif [[ -z $child ]]; then
                    child=$word
                fi
                ;;
        esac
    done
    if [[ -z $command ]]; then
        _ratectl_in_common && return
)";

constexpr std::string_view kBashTail = R"(    esac
}

complete -F _ratectl ratectl
)";

std::string forms(const Flag& flag) {
    const std::string letter = flag.letter != 0 ? std::string{'-', flag.letter} + " | " : "";
    return letter + "--" + flag.name;
}

std::string bash_offer(const Flag& flag, const Grammar& command) {
    const std::string list = is_list(flag) ? "_ratectl_list " : "";
    switch (offer_of(flag, command)) {
        case Offer::words:
            return list + "_ratectl_words " + support::shell_quoted(joined(words_of(flag, command), " "));
        case Offer::names: return list + "_ratectl_names " + names_of(flag);
        case Offer::files: return "_ratectl_files";
        case Offer::nothing: break;
    }
    return ":";
}

std::string written_flags(const Grammar& grammar) {
    std::vector<std::string> words;
    for (const Flag* flag : shown_flags(grammar)) words.push_back("--" + flag->name);
    return joined(words, " ");
}

/// `case $prev in` arms for flags of one grammar; `then` follows the offer.
std::string value_arms(const std::vector<const Flag*>& flags, const Grammar& grammar, std::string_view margin,
                       std::string_view then) {
    std::string out;
    for (const Flag* flag : flags) {
        if (flag->takes_value())
            out += fmt::format("{}{}) {}; {} ;;\n", margin, forms(*flag), bash_offer(*flag, grammar), then);
    }
    return out;
}

std::string arguments_of(const Grammar& grammar, const Language& language) {
    if (grammar.path == "help") return "_ratectl_words " + support::shell_quoted(joined(help_words(language), " "));
    for (const Flag& argument : grammar.arguments) {
        if (offer_of(argument, grammar) != Offer::nothing) return bash_offer(argument, grammar);
    }
    return ":";
}

std::string common_function(const Language& language) {
    std::string out = "\n_ratectl_in_common() {\n    case $prev in\n";
    const Grammar& globals = language.globals.grammar;
    out += value_arms(shown_flags(globals), globals, "        ", "return 0");
    return out + "    esac\n    return 1\n}\n";
}

std::string command_arm(const Grammar& grammar, const Language& language, const std::string& common) {
    std::string out = fmt::format("        {})\n", support::shell_quoted(grammar.path));
    const std::string arms = value_arms(flags_in(grammar, language), grammar, "                ", "return");
    if (!arms.empty()) out += "            case $prev in\n" + arms + "            esac\n";
    out += "            _ratectl_in_common && return\n";
    out += "            if [[ $cur == -* ]]; then\n";
    out += "                _ratectl_words " + support::shell_quoted(written_flags(grammar) + " " + common) +
           "\n            else\n                ";
    if (grammar.children.empty()) {
        out += arguments_of(grammar, language);
    } else {
        std::vector<std::string> words;
        for (const Grammar& child : grammar.children) words.push_back(child.name);
        out += "_ratectl_words " + support::shell_quoted(joined(words, " "));
    }
    return out + "\n            fi\n            ;;\n";
}

}  // namespace

std::string bash_completion(const Language& language) {
    const std::string common = written_flags(language.globals.grammar);
    std::vector<std::string> commands;
    std::vector<std::string> with_children;
    for (const BoundCommand& command : language.commands) {
        commands.push_back(command.grammar.name);
        if (!command.grammar.children.empty()) with_children.push_back(command.grammar.name);
    }
    std::string out(kBashHead);
    out += "            " + joined(flags_with_value(language), " | ") + std::string(kBashWalk);
    out += "        if [[ $cur == -* ]]; then\n            _ratectl_words " + support::shell_quoted(common) +
           "\n        else\n";
    out += "            _ratectl_words " + support::shell_quoted(joined(commands, " ")) +
           "\n        fi\n        return\n    fi\n";
    if (with_children.empty())
        out += "    child=''\n";
    else
        out += "    case $command in " + joined(with_children, " | ") + ") ;; *) child='' ;; esac\n";
    out += "    case $command${child:+ $child} in\n";
    for_each_grammar(language, [&](const Grammar& grammar) { out += command_arm(grammar, language, common); });
    out += kBashTail;
    const std::size_t at = out.find("\n_ratectl() {");
    return out.insert(at, common_function(language));
}

}  // namespace ratectl::cli
