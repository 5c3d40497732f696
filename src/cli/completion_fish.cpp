// The fish script: one `complete` line per command, flag and set of words.
#include <fmt/core.h>

#include "cli/completion.h"

namespace ratectl::cli {
namespace {

constexpr std::string_view kFishHead = R"fish(# fish completion for ratectl; made by `ratectl completion fish`.
# The words are fixed. Names of deployments, policies, shards and classes come from `ratectl config names`; fish takes each
# as one word and evaluates none.

# The n-th word that is neither a flag nor a flag's value.
function __ratectl_word --argument-names n
    set -l skip 0
    set -l seen 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        switch $word
)fish";

constexpr std::string_view kFishWalk = R"fish(                set skip 1
            case '-*'
            case '*'
                set seen (math $seen + 1)
                if test $seen = $n
                    echo $word
                    return 0
                end
        end
    end
    return 1
end

function __ratectl_in
    set -l i 0
    for word in $argv
        set i (math $i + 1)
        test "$(__ratectl_word $i)" = $word; or return 1
    end
end

# Names of one kind, from the configuration that -c and -d mean.
function __ratectl_names --argument-names kind
    set -l given
    set -l flag ''
    for word in (commandline -opc)[2..-1]
        switch $flag
            case -c --config
                set given $given -c (string replace -r '^~/' "$HOME/" -- $word)
            case -d --deployment
                set given $given -d $word
        end
        switch $word
            case '--config=*' '--deployment=*'
                set given $given $word
        end
        set flag $word
    end
    command ratectl config names $kind -o name $given 2>/dev/null </dev/null
end

# Words of a value that may be several: what stands before the last comma stays.
function __ratectl_list
    set -l before (string match -r '^.*,' -- (commandline -ct | string replace -r '^--[^=]*=' ''))
    for word in $argv
        echo "$before$word"
    end
end

complete -c ratectl -f
)fish";

std::string fish_quoted(std::string_view text) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\') out += '\\';
        out += c;
    }
    return out + "'";
}

std::string fish_offer(const Flag& flag, const Grammar& command) {
    const std::string list = is_list(flag) ? "__ratectl_list " : "";
    switch (offer_of(flag, command)) {
        case Offer::words: {
            const std::string words = joined(words_of(flag, command), " ");
            return " -x -a " + fish_quoted(list.empty() ? words : "(" + list + words + ")");
        }
        case Offer::names:
            return " -x -a " + fish_quoted("(" + list + (list.empty() ? "" : "(") + "__ratectl_names " +
                                           names_of(flag) + (list.empty() ? ")" : "))"));
        case Offer::files: return " -r -F";
        case Offer::nothing: break;
    }
    return flag.takes_value() ? " -x" : "";
}

std::string flag_lines(const std::vector<const Flag*>& flags, const Grammar& grammar, const std::string& condition) {
    std::string out;
    for (const Flag* flag : flags) {
        out += "complete -c ratectl" + condition;
        if (flag->letter != 0) out += fmt::format(" -s {}", flag->letter);
        out += fmt::format(" -l {} -d {}{}\n", flag->name, fish_quoted(flag->about), fish_offer(*flag, grammar));
    }
    return out;
}

std::string condition_in(const Grammar& grammar) { return " -n " + fish_quoted("__ratectl_in " + grammar.path); }

std::string argument_lines(const Grammar& grammar, const Language& language) {
    std::string out;
    for (const Flag& argument : grammar.arguments) {
        const std::string head = "complete -c ratectl" + condition_in(grammar);
        if (grammar.path == "help")
            out += head + " -a " + fish_quoted(joined(help_words(language), " ")) + "\n";
        else if (offer_of(argument, grammar) == Offer::files)
            out += head + " -F\n";
        else if (offer_of(argument, grammar) == Offer::names)
            out += head + " -a " + fish_quoted("(__ratectl_names " + names_of(argument) + ")") + "\n";
        else if (offer_of(argument, grammar) == Offer::words)
            out += head + " -a " + fish_quoted(joined(words_of(argument, grammar), " ")) + "\n";
    }
    return out;
}

std::string child_lines(const Grammar& grammar) {
    std::string out;
    for (const Grammar& child : grammar.children) {
        out += fmt::format("complete -c ratectl -n {} -a {} -d {}\n",
                           fish_quoted("__ratectl_in " + grammar.path + "; and not __ratectl_word 2 >/dev/null"),
                           child.name, fish_quoted(child.summary));
    }
    return out;
}

}  // namespace

std::string fish_completion(const Language& language) {
    std::vector<std::string> forms;
    for (const std::string& form : flags_with_value(language)) forms.push_back(fish_quoted(form));
    std::string out = std::string(kFishHead) + "            case " + joined(forms, " ") + "\n" + std::string(kFishWalk);
    for (const BoundCommand& command : language.commands) {
        out += fmt::format("complete -c ratectl -n 'not __ratectl_word 1 >/dev/null' -a {} -d {}\n",
                           command.grammar.name, fish_quoted(command.grammar.summary));
    }
    out += flag_lines(shown_flags(language.globals.grammar), language.globals.grammar, "");
    for_each_grammar(language, [&](const Grammar& grammar) {
        out += child_lines(grammar) + flag_lines(flags_in(grammar, language), grammar, condition_in(grammar)) +
               argument_lines(grammar, language);
    });
    return out;
}

}  // namespace ratectl::cli
