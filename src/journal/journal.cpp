// The journal over SQLite.
#include "journal/journal.h"

namespace ratectl::journal {

class Journal::Impl {
public:
    std::string path;
};

namespace {

[[noreturn]] void not_there_yet() { throw support::Failure(support::ExitCode::bug, "the journal is not built yet"); }

}  // namespace

Journal::Journal(const std::string& path) : impl_(std::make_unique<Impl>()) { impl_->path = path; }
Journal::~Journal() = default;
const std::string& Journal::path() const { return impl_->path; }
void Journal::begin(const OperationHead&) { not_there_yet(); }
void Journal::intend(const std::string&, std::span<const Intent>) { not_there_yet(); }
void Journal::conclude(const std::string&, std::span<const Outcome>) { not_there_yet(); }
std::optional<OperationHead> Journal::find(const std::string&) { not_there_yet(); }
std::vector<OperationHead> Journal::undone_by(const std::string&) { not_there_yet(); }
void Journal::entries(const Question&, const std::function<bool(const Entry&)>&) { not_there_yet(); }
std::vector<std::uint64_t> Journal::applied_rows(const std::string&, std::uint64_t, std::uint64_t) { not_there_yet(); }
std::vector<std::string> Journal::operations_like(std::string_view, std::size_t) { not_there_yet(); }

std::string default_path(const std::optional<std::string>& xdg_state_home, const std::optional<std::string>& home) {
    const auto usable = [](const std::optional<std::string>& folder) { return folder && folder->starts_with('/'); };
    if (usable(xdg_state_home)) return *xdg_state_home + "/ratectl/journal.db";
    if (usable(home)) return *home + "/.local/state/ratectl/journal.db";
    throw support::Failure(
        support::ExitCode::local_io,
        "nothing says where the journal of writes is kept: neither XDG_STATE_HOME nor HOME is an absolute path",
        "--journal PATH names a file");
}

}  // namespace ratectl::journal
