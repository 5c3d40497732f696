// The answers that write scripts give, and what each means for a person and for an exit code.
#include "schemes/write_answer.h"

#include <algorithm>
#include <array>

namespace ratectl::schemes {
namespace {

using domain::WriteStatus;
using support::ExitCode;

struct Word {
    std::string_view word;
    WriteStatus status;
    ExitCode code;
    std::string_view message;  // empty: nothing has to be explained
    std::string_view hint;     // names flags only that every command has: the command knows its own
};

constexpr std::array kWords{
    Word{"applied", WriteStatus::applied, ExitCode::done, "", ""},
    Word{"already-undone", WriteStatus::already_applied, ExitCode::done, "", ""},
    Word{"absent", WriteStatus::nothing_to_do, ExitCode::attention, "", ""},
    Word{"nothing-to-take", WriteStatus::nothing_to_do, ExitCode::attention, "", ""},
    Word{"nothing-to-repair", WriteStatus::nothing_to_do, ExitCode::attention, "", ""},
    Word{"no-window", WriteStatus::window_changed, ExitCode::guard, "there is no open window",
         "look again and decide anew"},
    Word{"window-changed", WriteStatus::window_changed, ExitCode::guard,
         "it is no longer the window that was looked at", "look again and decide anew"},
    Word{"window-there", WriteStatus::window_changed, ExitCode::guard, "a newer window stands there", ""},
    Word{"closed", WriteStatus::window_changed, ExitCode::guard, "the window is over", ""},
    Word{"used-too-low", WriteStatus::window_changed, ExitCode::guard,
         "fewer requests are used than the guard asks for", ""},
    Word{"below-zero", WriteStatus::refused, ExitCode::guard, "fewer requests are used than would be given back", ""},
    Word{"wrong-type", WriteStatus::refused, ExitCode::guard, "the key holds no string, so it is not a window", ""},
    Word{"too-large", WriteStatus::refused, ExitCode::guard, "the key holds more than 64 KiB, so it is not a window",
         ""},
    Word{"not-an-integer", WriteStatus::refused, ExitCode::guard, "what is stored is not an integer within 2^53", ""},
    Word{"overflow", WriteStatus::refused, ExitCode::guard,
         "the counter would leave the range of exact integers (2^53)", ""},
    Word{"reset-in-past", WriteStatus::refused, ExitCode::guard,
         "the window would already be over on the server's clock, which would delete it at once and leak a counter",
         "check --now, --period and the server's clock (ratectl nodes)"},
    Word{"other-operation", WriteStatus::refused, ExitCode::guard, "this operation was carried out without this window",
         "write it in an operation of its own"},
    Word{"bad-argument", WriteStatus::refused, ExitCode::bug, "the script did not accept its arguments", ""},
};

}  // namespace

std::optional<WriteAnswer> answer_for_word(std::string_view word) {
    const auto* found = std::find_if(kWords.begin(), kWords.end(), [&](const Word& w) { return w.word == word; });
    if (found == kWords.end()) return std::nullopt;
    WriteAnswer answer;
    answer.status = found->status;
    if (found->status != WriteStatus::applied) answer.reason = word;
    if (!found->message.empty()) {
        answer.error = support::Error{found->code, std::string(found->message), std::string(found->hint)};
    }
    return answer;
}

WriteAnswer answer_of(const domain::OperationRecord::WindowAnswer& stored) {
    auto answer = answer_for_word(stored.why.empty() ? "applied" : stored.why).value_or(WriteAnswer{});
    answer.before = stored.before;
    answer.after = stored.after;
    answer.taken = stored.taken;
    return answer;
}

}  // namespace ratectl::schemes
