// Reads how people name an operation, and finds the words for operations that are not known.
#include "commands/request/operation_ref.h"

#include <algorithm>

#include "domain/operation.h"
#include "support/number_text.h"

namespace ratectl::commands {

namespace {

constexpr std::size_t kUlidLength = 26;
constexpr std::size_t kShownOperations = 3;
constexpr std::size_t kLikelyOperations = 20;  // undos among them are not always shown
constexpr std::string_view kUndoSuffix = "-undo";

}  // namespace

std::optional<OperationRef> parse_operation_ref(std::string_view text) {
    const auto slash = text.find('/');
    OperationRef ref{std::string(text.substr(0, slash)), std::nullopt};
    if (!domain::check_operation_id(ref.id)) return std::nullopt;
    if (slash == std::string_view::npos) return ref;
    ref.row = support::parse_unsigned(text.substr(slash + 1), INT64_MAX);
    if (!ref.row || *ref.row == 0) return std::nullopt;
    return ref;
}

bool looks_made(const OperationRef& ref) {
    std::string_view id = ref.id;
    if (id.ends_with(kUndoSuffix)) id.remove_suffix(kUndoSuffix.size());
    constexpr std::string_view alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    return id.size() == kUlidLength && id.front() <= '7' && id.find_first_not_of(alphabet) == std::string_view::npos;
}

support::Error unknown_operation(const std::string& id, Context& context, bool to_undo) {
    // Asking what was done needs no servers.
    const bool on_servers = !to_undo || context.settings().kind != config::DeploymentKind::memcached;
    std::string hint = on_servers ? "`ratectl history --on-servers` lists what other machines did lately"
                                  : "the machine that made it has it in its journal";
    auto* journal = context.existing_journal();
    std::vector<std::string> likely;
    if (!id.empty() && journal != nullptr) likely = journal->operations_like(id, kLikelyOperations);
    if (to_undo) {
        std::erase_if(likely, [journal](const std::string& other) {
            const auto head = journal->find(other);
            return !head || head->undoes || head->kind == domain::WriteKind::restore;
        });
    }
    if (!likely.empty()) {
        hint = "did you mean ";
        for (std::size_t i = 0; i < std::min(likely.size(), kShownOperations); ++i)
            hint += (i > 0 ? ", " : "") + likely[i];
        hint += likely.size() > kShownOperations ? " ...?" : "?";
    }
    return {ExitCode::attention,
            "there is no operation '" + id + "' in " +
                (journal == nullptr ? "a journal of this machine" : "the journal '" + journal->path() + "'") +
                (on_servers ? ", nor on any server that answered" : ", and a memcached keeps no record of one"),
            hint};
}

}  // namespace ratectl::commands
