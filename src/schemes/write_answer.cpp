// The answers that write scripts give, and what each means for a person and for an exit code.
#include "schemes/write_answer.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <utility>

#include "schemes/operation_key.h"
#include "support/number_text.h"

namespace ratectl::schemes {
namespace {

using domain::WriteStatus;
using redis::Reply;
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
    Word{"absent", WriteStatus::skipped, ExitCode::attention, "", ""},
    Word{"nothing-to-take", WriteStatus::skipped, ExitCode::attention, "", ""},
    Word{"nothing-to-count", WriteStatus::skipped, ExitCode::attention, "", ""},
    Word{"nothing-to-repair", WriteStatus::skipped, ExitCode::attention, "", ""},
    Word{"no-window", WriteStatus::window_changed, ExitCode::guard, "there is no open window",
         "look again and decide anew"},
    Word{"window-changed", WriteStatus::window_changed, ExitCode::guard,
         "it is not, or no longer, the window that was meant", "look again and decide anew"},
    Word{"window-there", WriteStatus::window_changed, ExitCode::guard, "a newer window stands there", ""},
    Word{"closed", WriteStatus::window_changed, ExitCode::guard, "the window is over", ""},
    Word{"used-too-low", WriteStatus::window_changed, ExitCode::guard,
         "fewer requests are used than the guard asks for", ""},
    Word{"below-zero", WriteStatus::refused, ExitCode::guard, "fewer requests can be given back than were asked for",
         ""},
    Word{"below-one", WriteStatus::refused, ExitCode::guard,
         "less than one would stand there: at 0 the limiter would begin the window anew with its next request", ""},
    Word{"no-expiry", WriteStatus::refused, ExitCode::guard, "it is a counter that nothing ever ends",
         "reset removes it, and the next request begins a window"},
    Word{"no-rate", WriteStatus::refused, ExitCode::configuration,
         "no limit above 0 and no period are known for it, by which this limiter's requests are counted",
         "a policy that matches the key says them: one of the configuration, or --key TEMPLATE with --limit and "
         "--period, and --burst where the limiter has one"},
    Word{"read-only", WriteStatus::refused, ExitCode::guard,
         "ratectl reads this limiter's windows, and removes them, and does not write what they hold",
         "`ratectl reset` removes the window"},
    Word{"not-counted", WriteStatus::refused, ExitCode::guard,
         "its limiter counts nothing: as it is set, it lets no request through, or every one",
         "`ratectl explain` says what it is set to"},
    Word{"wrong-type", WriteStatus::refused, ExitCode::guard,
         "the key is of a type that its limiter does not give it, so it is not a window", ""},
    Word{"too-large", WriteStatus::refused, ExitCode::guard,
         "the key holds, or would hold, more than 64 KiB or 10,000 elements, which ratectl does not change", ""},
    Word{"not-an-integer", WriteStatus::refused, ExitCode::guard,
         "what is stored is not what its limiter stores (a counter is an integer within 2^53)", ""},
    Word{"overflow", WriteStatus::refused, ExitCode::guard,
         "it would leave what is counted exactly: a counter 2^53, a moment the year 2255", ""},
    Word{"reset-in-past", WriteStatus::refused, ExitCode::guard,
         "the window would already be over on the server's clock, which would delete it at once and leak a counter",
         "check --now, --period and the server's clock (ratectl nodes)"},
    Word{"other-operation", WriteStatus::refused, ExitCode::guard, "this operation was carried out without this window",
         "write it in an operation of its own"},
    Word{"bad-argument", WriteStatus::refused, ExitCode::bug, "the script did not accept its arguments", ""},
};

enum class Words { in_full, counted, given_back, removed };

Words words_of(std::string_view word) {
    if (word == "counted") return Words::counted;
    if (word == "given-back") return Words::given_back;
    return word == "removed" ? Words::removed : Words::in_full;
}

// Sets `number` to what the text says, null where there is none; false when it says no integer.
bool take_number(OptionalView text, std::optional<std::int64_t>& number) {
    number = text ? support::parse_decimal(*text) : std::nullopt;
    return number.has_value() == text.has_value();
}

void take_text(OptionalView text, std::optional<std::string>& to) {
    if (text) to.emplace(*text);
}

// What the counter is then; null where that does not follow.
std::optional<std::string> changed(const std::optional<std::string>& used, std::int64_t taken, Words words) {
    const auto count = used ? support::parse_decimal(*used) : std::nullopt;
    std::int64_t after = 0;
    if (!count) return std::nullopt;
    const bool overflows = words == Words::counted ? __builtin_add_overflow(*count, taken, &after)
                                                   : __builtin_sub_overflow(*count, taken, &after);
    if (overflows) return std::nullopt;
    return std::to_string(after);
}

// When halves expire that are as they are to be: one second after the window.
std::optional<std::int64_t> usual_expiry_ms(const std::optional<std::string>& reset) {
    const auto ends = reset ? support::parse_decimal(*reset) : std::nullopt;
    std::int64_t after = 0;
    std::int64_t ms = 0;
    if (!ends || __builtin_add_overflow(*ends, 1, &after) || __builtin_mul_overflow(after, 1000, &ms)) return {};
    return ms;
}

// Fills in what the short words leave out; false where it does not follow from the rest.
bool complete(WriteAnswer& answer, std::optional<std::int64_t> taken, Words words) {
    if (words == Words::in_full) return true;
    if (words == Words::removed) {
        answer.before.expires.fill(usual_expiry_ms(answer.before.reset_at));
        return answer.before.expires.front().has_value();
    }
    answer.after.used = taken ? changed(answer.before.used, *taken, words) : std::nullopt;
    answer.after.reset_at = answer.before.reset_at;
    return answer.after.used.has_value();
}

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

OptionalView next_answer(PackedReader& reader, WriteAnswer& answer) {
    std::array<OptionalView, kAnswerTexts> texts;
    for (auto& text : texts) {
        if (!reader.next(text)) return std::nullopt;
    }
    if (!texts[0] || !texts[1]) return std::nullopt;
    const auto words = words_of(*texts[1]);
    if (words == Words::in_full) {
        auto meaning = answer_for_word(*texts[1]);
        if (!meaning) return std::nullopt;
        answer = *std::move(meaning);
    } else {
        answer.status = WriteStatus::applied;
    }
    std::optional<std::int64_t> taken;
    if (!take_number(texts[6], taken) || !take_number(texts[7], answer.before.expires[0]) ||
        !take_number(texts[8], answer.before.expires[1])) {
        return std::nullopt;
    }
    take_text(texts[2], answer.before.used);
    take_text(texts[3], answer.before.reset_at);
    take_text(texts[4], answer.after.used);
    take_text(texts[5], answer.after.reset_at);
    take_text(texts[9], answer.before.state);
    take_text(texts[10], answer.after.state);
    for (auto* window : {&answer.before, &answer.after}) {
        if (window->state && window->used == "") window->used.reset();  // how many that is was not to be told
    }
    if (!complete(answer, taken, words)) return std::nullopt;
    answer.taken = words == Words::counted ? 0 : taken.value_or(0);
    return texts[0];
}

namespace {

std::optional<CallStatus> status_from(const Reply& reply) {
    constexpr std::array<std::pair<std::string_view, CallStatus>, 4> statuses{
        {{"done", CallStatus::done},
         {"already", CallStatus::already},
         {"late", CallStatus::late},
         {"other-operation", CallStatus::other_operation}}};
    for (const auto& [word, status] : statuses) {
        if (reply.is_text() && reply.text == word) return status;
    }
    return std::nullopt;
}

using AllAnswers = std::optional<std::vector<WriteAnswer>>;

// Those of a record that was made just now: as many windows as were asked about, in their order.
AllAnswers answers_from(std::string_view record, std::size_t windows) {
    std::vector<WriteAnswer> answers;
    answers.reserve(windows);
    PackedReader reader(record);
    if (!skip_operation_head(reader)) return std::nullopt;
    while (!reader.at_end()) {
        if (answers.size() == windows || !next_answer(reader, answers.emplace_back())) return std::nullopt;
    }
    if (answers.size() != windows) return std::nullopt;
    return answers;
}

// What the operation key says of these windows; `written_ms`: when it was made.
AllAnswers recalled_answers(std::string_view record_bytes, std::span<const std::string_view> keys,
                            std::int64_t& written_ms) {
    const auto record = decode_operation({"it", 1}, record_bytes);
    if (!record) return std::nullopt;
    written_ms = record->at.time_since_epoch().count();
    std::unordered_map<std::string_view, const domain::OperationRecord::WindowAnswer*> by_key;
    for (const auto& window : record->windows) by_key.emplace(window.key, &window);
    std::vector<WriteAnswer> answers;
    for (const auto key : keys) {
        const auto found = by_key.find(key);
        answers.push_back(found == by_key.end() ? answer_for_word("other-operation").value_or(WriteAnswer{})
                                                : answer_of(*found->second));
        if (answers.back().status == domain::WriteStatus::applied) {
            answers.back().status = domain::WriteStatus::already_applied;
        }
    }
    return answers;
}

}  // namespace

support::Result<WriteAnswers> decode_writes(std::span<const std::string_view> keys, const redis::Reply& reply) {
    const auto odd = [] { return support::failure(ExitCode::protocol, "unexpected reply of a write script"); };
    const auto& parts = reply.elements;
    const bool all_text = std::all_of(parts.begin(), parts.end(), [](const Reply& part) { return part.is_text(); });
    if (!reply.is_array() || parts.size() < 2 || !all_text) return odd();
    const auto status = status_from(parts[0]);
    const auto server_time = support::parse_decimal(parts[1].text);
    if (!status || !server_time) return odd();
    WriteAnswers answers{.status = *status, .server_time_ms = *server_time, .windows = {}};
    const bool ran = *status == CallStatus::done || *status == CallStatus::already;
    if (parts.size() != (ran ? 3u : 2u)) return odd();
    if (!ran) return answers;
    auto windows = *status == CallStatus::done ? answers_from(parts[2].text, keys.size())
                                               : recalled_answers(parts[2].text, keys, answers.server_time_ms);
    if (windows) {
        answers.windows = std::move(*windows);
    } else if (*status == CallStatus::already) {
        // Its beginning is that of our call, and the rest is not ours.
        answers.status = CallStatus::other_operation;
    } else {
        return odd();
    }
    return answers;
}

}  // namespace ratectl::schemes
