// Decides whether a write is allowed: from what never is (read-only, deny, protect, counts) to what only needs a yes.
#include "commands/write/consent.h"

#include <algorithm>

#include <fmt/format.h>

#include "commands/outcome.h"
#include "commands/report/key_mask.h"
#include "domain/key_template.h"
#include "support/number_text.h"

namespace ratectl::commands {

namespace {

using support::Failure;

std::optional<std::uint64_t> number_of(const std::optional<std::string>& text, const char* flag) {
    if (!text) return std::nullopt;
    const auto number = support::parse_unsigned(*text);
    if (!number)
        throw Failure(ExitCode::usage, std::string(flag) + " needs a whole number of keys, not '" + *text + "'");
    return number;
}

/// Null when there is no user to ask; being stopped at a question is not an answer either.
std::optional<std::string> asked(Context& context, const std::string& question) {
    try {
        auto answer = context.ask(question);
        if (!context.stop()) return answer;
    } catch (const Failure& failure) {
        if (!context.stop()) throw;
    }
    throw Failure(stopped(context.stop()), "stopped at the question; nothing was written");
}

std::string why_no_question(const Context& context) {
    return context.options().no_input ? "--no-input forbids asking" : "there is no terminal to ask on";
}

/// `41 windows`.
std::string counted_words(const WritePlan& plan) { return support::counted(plan.count(), plan.counted_as.what); }

/// `reset 41 windows of deployment 'production'`, with `or more` while more are read, and what they are made of behind
/// it.
std::string words_for(const WritePlan& plan, const std::string& deployment) {
    const std::string count =
        plan.keys == 0 && plan.more_to_come ? fmt::format("{}s", plan.counted_as.what) : counted_words(plan);
    // `give 2 requests back in each of 3 windows`: not two in all of them.
    const std::string each = plan.verb.ends_with(" in") && plan.count() > 1 ? "each of " : "";
    return plan.verb + " " + each + count + (plan.more_to_come && plan.keys > 0 ? " or more" : "") +
           " of deployment '" + deployment + "'" + (plan.parts.empty() ? "" : " (" + plan.parts + ")");
}

[[noreturn]] void refuse_to_write(const std::string& why, const std::string& hint = {}) {
    throw Failure(ExitCode::guard, why + "; nothing was written", hint);
}

}  // namespace

void bind_consent(Syntax syntax, ConsentFlags& flags) {
    const char* group = "Safety";
    syntax.add_option("--max-keys", flags.max_keys, "refuse to touch more keys than this").type_name("N").group(group);
    syntax.add_option("--expect", flags.expect, "refuse unless it is exactly this many keys")
        .type_name("N")
        .group(group);
    syntax.add_option("--confirm", flags.confirm, "the deployment's name, where typing it is asked for")
        .type_name("NAME")
        .group(group);
    syntax.add_option("--reason", flags.reason, "why; some deployments want one for every change")
        .type_name("TEXT")
        .group(group);
}

Consent::Consent(const ConsentFlags& flags, Context& context, bool dry)
    : context_(context),
      dry_(dry || context.options().dry_run),
      max_keys_(number_of(flags.max_keys, "--max-keys")),
      expect_(number_of(flags.expect, "--expect")),
      confirm_(flags.confirm) {
    if (dry_) return;
    const auto& settings = context.settings();
    if (settings.read_only)
        refuse_to_write("this is a read-only run (--read-only or RATECTL_READ_ONLY)", "-n shows what would be done");
    if (settings.writes == config::WriteMode::deny) {
        refuse_to_write("deployment '" + settings.deployment + "' is configured with writes = \"deny\"",
                        "-n shows what would be done");
    }
    if (settings.require_reason && flags.reason.value_or("").find_first_not_of(" \t\r\n") == std::string::npos) {
        refuse_to_write("deployment '" + settings.deployment + "' wants a reason for every change", "--reason TEXT");
    }
}

std::optional<std::uint64_t> Consent::keys_to_know() const {
    if (expect_) return std::nullopt;
    const auto& settings = context_.settings();
    if (dry_ || settings.writes == config::WriteMode::allow) return max_keys_ ? *max_keys_ + 1 : 0;
    if (!context_.options().yes) return std::nullopt;
    if (confirm_) return max_keys_ ? *max_keys_ + 1 : 0;
    return std::min(max_keys_.value_or(settings.max_keys), settings.max_keys) + 1;
}

void Consent::require(const WritePlan& plan) {
    check_counts(plan);
    const auto& settings = context_.settings();
    if (confirm_ && *confirm_ != settings.deployment) {
        refuse_to_write("--confirm names '" + *confirm_ + "', but this is deployment '" + settings.deployment + "'");
    }
    if (dry_ || (plan.keys == 0 && !plan.more_to_come)) return;
    if (settings.writes == config::WriteMode::allow || confirm_) return;
    if (needs_name(plan)) return ask_for_name(plan);
    if (plan.named_one && settings.writes != config::WriteMode::confirm_all) return;
    if (!context_.options().yes) ask_yes(plan);
}

bool Consent::is_protected(std::string_view key) const {
    const auto& settings = context_.settings();
    const auto is_named = [&settings](std::string_view name) {
        return std::ranges::any_of(settings.protect,
                                   [name](const auto& glob) { return domain::glob_matches(glob, name); });
    };
    if (is_named(key)) return true;
    const auto part = settings.limiter != nullptr ? settings.limiter->part_of(key) : std::nullopt;
    return part && is_named(part->key());
}

void Consent::check_counts(const WritePlan& plan) const {
    if (expect_ && plan.incomplete) {
        refuse_to_write("--expect " + std::to_string(*expect_) +
                        ", but a part of the servers could not be asked, so it is unknown how many the selection has");
    }
    if (expect_ && plan.count() != *expect_) {
        refuse_to_write("--expect " + std::to_string(*expect_) + ", but the selection has " + counted_words(plan));
    }
    if (max_keys_ && plan.count() > *max_keys_) {
        refuse_to_write("--max-keys " + std::to_string(*max_keys_) + ", but the selection has " + counted_words(plan) +
                        (plan.more_to_come ? " or more" : ""));
    }
}

bool Consent::needs_name(const WritePlan& plan) const {
    return plan.all || plan.count() > context_.settings().max_keys;
}

void Consent::show(const WritePlan& plan) const {
    std::string text = "about to " + words_for(plan, context_.settings().deployment);
    const char* separator = ": ";
    for (const auto& [shard, count] : plan.keys_per_shard) {
        text += separator + shard + " " + std::to_string(count);
        separator = ", ";
    }
    if (plan.first_keys.empty()) return context_.messages().warning(text);
    std::vector<std::string> keys;
    const auto& mask = context_.messages().options().mask;  // another deployment may want them hidden
    for (const auto& key : plan.first_keys)
        keys.push_back(mask ? mask->key(key) : visible_key(key, context_.settings()));
    context_.messages().warning_about(text, keys, plan.keys - std::min<std::uint64_t>(plan.keys, keys.size()));
}

void Consent::ask_for_name(const WritePlan& plan) const {
    const auto& settings = context_.settings();
    const std::string why = plan.all ? "--all"
                                     : std::string("changing ") + (plan.more_to_come ? "at least " : "") +
                                           counted_words(plan) +
                                           ", more than max_keys = " + std::to_string(settings.max_keys) + ",";
    show(plan);
    const auto answer = asked(context_, "type the deployment's name to " + words_for(plan, settings.deployment) + ": ");
    if (!answer) {
        refuse_to_write(why + " needs the deployment's name as confirmation, and " + why_no_question(context_),
                        "--confirm " + settings.deployment);
    }
    if (*answer != settings.deployment) refuse_to_write("the name typed is not '" + settings.deployment + "'");
}

void Consent::ask_yes(const WritePlan& plan) const {
    show(plan);
    const auto answer = asked(context_, words_for(plan, context_.settings().deployment) + "? [y/N] ");
    if (!answer) {
        refuse_to_write(
            "to " + words_for(plan, context_.settings().deployment) + " needs a yes, and " + why_no_question(context_),
            "-y answers the question");
    }
    if (*answer != "y" && *answer != "Y" && *answer != "yes") refuse_to_write("not confirmed");
}

}  // namespace ratectl::commands
