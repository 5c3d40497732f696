// Finds recorded keys; a client's key is the one that its policy makes of the client's id.
#include "commands/undo/recorded_keys.h"

#include <algorithm>
#include <utility>

#include "commands/report/key_mask.h"
#include "domain/key_template.h"

namespace ratectl::commands {

RecordedKeys::RecordedKeys(std::vector<std::string> clients, std::optional<std::string> match, Context& context)
    : clients_(std::move(clients)), match_(std::move(match)), missing_{{}, clients_} {
    if (match_) support::value_or_throw(domain::check_glob(*match_));
    if (match_ && !clients_.empty())
        support::throw_usage("--client names keys one by one, --match says what they look like: choose one", {});
    try {
        settings_ = context.settings_without_servers();
    } catch (const support::Failure&) {
        if (!clients_.empty()) throw;  // else what was recorded is shown as it is
    }
    if (clients_.empty() || !settings_->policies.empty()) return;
    throw support::Failure(ExitCode::configuration,
                           "--client needs to know how keys are written, and no policy says so",
                           "give --key, for example --key 'core:{client}', or a policy in the configuration");
}

void RecordedKeys::name(const std::string& key) {
    if (match_) support::throw_usage("a key is named beside --match: choose one", {});
    if (names_.insert(as_recorded(key)).second) missing_.keys.push_back(key);
    recorded_otherwise_ = recorded_otherwise_ || !names_.contains(key);
}

bool RecordedKeys::has_record_of(const std::string& key, Context& context) const {
    auto* journal = context.existing_journal();
    if (journal == nullptr) return false;
    bool found = false;
    for (const auto& name : {key, as_recorded(key)}) {
        journal::Question question;
        question.key = name;
        journal->entries(question, [&found](const journal::Entry&) { return !(found = true); });
    }
    return found;
}

std::optional<std::string> RecordedKeys::only() const {
    // What was recorded before its policy became secret has the key as it is.
    if (names_.size() != 1 || !clients_.empty() || recorded_otherwise_) return std::nullopt;
    return *names_.begin();
}

bool RecordedKeys::accept(const std::string& key) const {
    if (are_all()) return true;
    if (match_) return domain::glob_matches(*match_, key);
    return names_.contains(as_recorded(key)) ||
           std::ranges::any_of(clients_, [&](const std::string& client) { return is_of(key, client); });
}

void RecordedKeys::note_shown(const std::string& key) {
    if (missing_.keys.empty() && missing_.clients.empty()) return;
    std::erase_if(missing_.keys, [&](const std::string& name) { return as_recorded(name) == as_recorded(key); });
    std::erase_if(missing_.clients, [&](const std::string& client) { return is_of(key, client); });
}

std::string RecordedKeys::as_recorded(const std::string& key) const {
    return settings_ ? recorded_key(key, *settings_) : key;
}

bool RecordedKeys::is_of(std::string_view key, const std::string& client) const {
    const auto& policies = settings_->policies;
    if (policies.unmasked(key, client)) return true;
    const auto match = policies.match(key);
    if (!match || match->client.empty() || !match->policy->shared_by.empty()) return false;
    return match->policy->key.filtered(domain::PolicyBook::client_hole(*match->policy), client) == match->client;
}

}  // namespace ratectl::commands
