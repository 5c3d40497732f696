// Writes a plan file: under another name first, then synced, then renamed.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "input/plan_file.h"
#include "support/base64.h"
#include "support/descriptor.h"
#include "support/number_text.h"

namespace ratectl::input {

namespace {

using nlohmann::ordered_json;
using support::ExitCode;

/// Text as people see it; the exact bytes go beside it where it is none.
std::string dumped(const ordered_json& value) {
    return value.dump(-1, ' ', true, ordered_json::error_handler_t::replace);
}

bool is_plain(std::string_view bytes) {
    for (const char c : bytes) {
        if (c < ' ' || c > '~') return false;
    }
    return true;
}

/// A half of a window: a number where it is one, else its bytes.
void add_half(ordered_json& row, const std::string& name, const std::optional<std::string>& stored) {
    if (!stored) {
        row[name] = nullptr;
    } else if (const auto number = support::parse_decimal(*stored)) {
        row[name] = *number;
    } else {
        row[name + "_b64"] = support::to_base64(*stored);
    }
}

std::string folder_of(const std::string& path) {
    const auto slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

void sync_folder(const std::string& path) {
    const support::Descriptor folder(::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.is_open()) ::fsync(folder.get());
}

}  // namespace

void PlanChecksum::add(std::string_view bytes) { state_ = support::fnv1a_64(bytes, state_); }

std::string PlanChecksum::text() const { return fmt::format("fnv1a64:{:016x}", state_); }

PlanWriter::PlanWriter(std::string path, const PlanHead& head) : path_(std::move(path)) {
    struct stat there {};
    if (::lstat(path_.c_str(), &there) == 0) cannot("write", EEXIST);
    temporary_ = fmt::format("{}.{}.unfinished", path_, ::getpid());
    const int fd = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) {
        const int error = errno;
        temporary_.clear();
        cannot("write", error);
    }
    file_.reset(::fdopen(fd, "w"));
    if (!file_) cannot("write", errno);
    ordered_json line{{"schema", kPlanSchema},         {"operation", head.operation},   {"kind", head.kind},
                      {"deployment", head.deployment}, {"created_at", head.created_at}, {"made_by", head.made_by},
                      {"reason", head.reason},         {"clamp", head.clamp},           {"chunk", head.chunk}};
    if (head.if_used_at_least) line["if_used_at_least"] = *head.if_used_at_least;
    this->line(dumped(line));
}

PlanWriter::~PlanWriter() {
    if (!finished_ && !temporary_.empty()) ::unlink(temporary_.c_str());
}

void PlanWriter::row(const PlanRow& row) {
    ordered_json line{{"row", row.row}, {"slice", row.slice}, {"shard", row.shard}, {"key", row.key}};
    if (!is_plain(row.key)) line["key_b64"] = support::to_base64(row.key);
    add_half(line, "used", row.used);
    add_half(line, "reset_at", row.reset_at);
    line["state"] = row.state;
    if (row.amount) line["amount"] = *row.amount;
    if (row.period_s) line["period_s"] = *row.period_s;
    if (row.if_used_at_least) line["if_used_at_least"] = *row.if_used_at_least;
    if (row.follows) line["follows"] = true;
    if (!row.layout.empty()) line["layout"] = row.layout;
    this->line(dumped(line));
    ++rows_;
}

void PlanWriter::line(const std::string& text) {
    const std::string whole = text + '\n';
    checksum_.add(whole);
    if (std::fwrite(whole.data(), 1, whole.size(), file_.get()) != whole.size()) cannot("write", errno);
}

void PlanWriter::finish() {
    const std::string last = dumped(ordered_json{{"rows", rows_}, {"checksum", checksum_.text()}}) + '\n';
    if (std::fwrite(last.data(), 1, last.size(), file_.get()) != last.size() || std::fflush(file_.get()) != 0 ||
        ::fsync(::fileno(file_.get())) != 0) {
        cannot("write", errno);
    }
    // A plan that came there in the meantime stays: link() never replaces, and where there are no links, rename must
    // not either.
    if (::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, path_.c_str(), RENAME_NOREPLACE) != 0) {
        if (errno != EINVAL && errno != ENOSYS) cannot("write", errno);
        if (::link(temporary_.c_str(), path_.c_str()) != 0) cannot("write", errno);
        ::unlink(temporary_.c_str());
    }
    finished_ = true;
    sync_folder(path_);
}

void PlanWriter::cannot(const char* what, int error) const {
    throw support::Failure(ExitCode::local_io,
                           fmt::format("cannot {} the plan '{}': {}; nothing was written", what, path_,
                                       error == EEXIST ? "there is a file of that name" : std::strerror(error)),
                           error == EEXIST ? "a plan is never overwritten: give it another name" : "");
}

}  // namespace ratectl::input
