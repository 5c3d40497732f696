// Reading a plan: all of it is checked before anything of it is believed.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "input/plan_file.h"
#include "support/base64.h"

namespace ratectl::input {

namespace {

using nlohmann::json;
using support::ExitCode;

/// Room for the largest sensible key, escaped and with its base64 beside it.
constexpr std::size_t kLongestLine = std::size_t{8} * 1024 * 1024;

constexpr const char* kMakeAnew = "a plan is applied as it was written, or not at all: make a new one with --plan";

const json* member(const json& object, const char* name) {
    const auto found = object.find(name);
    return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::string text(const json& object, const char* name) {
    const auto* value = member(object, name);
    return value != nullptr && value->is_string() ? value->get<std::string>() : std::string{};
}

std::optional<std::int64_t> integer(const json& object, const char* name) {
    const auto* value = member(object, name);
    if (value == nullptr || !value->is_number_integer()) return std::nullopt;
    return value->get<std::int64_t>();
}

std::uint64_t count(const json& object, const char* name) {
    const auto number = integer(object, name);
    return number && *number > 0 ? static_cast<std::uint64_t>(*number) : 0;
}

std::optional<std::string> half(const json& object, const std::string& name) {
    if (const auto number = integer(object, name.c_str())) return std::to_string(*number);
    const auto* bytes = member(object, (name + "_b64").c_str());
    if (bytes == nullptr || !bytes->is_string()) return std::nullopt;
    return support::from_base64(bytes->get_ref<const std::string&>());
}

std::optional<std::string> key_of(const json& object) {
    const auto* bytes = member(object, "key_b64");
    if (bytes != nullptr && bytes->is_string()) return support::from_base64(bytes->get_ref<const std::string&>());
    const auto* key = member(object, "key");
    return key != nullptr && key->is_string() ? std::optional{key->get<std::string>()} : std::nullopt;
}

PlanHead head_of(const json& object) {
    PlanHead head;
    head.operation = text(object, "operation");
    head.kind = text(object, "kind");
    head.deployment = text(object, "deployment");
    head.created_at = text(object, "created_at");
    head.made_by = text(object, "made_by");
    head.reason = text(object, "reason");
    const auto* clamp = member(object, "clamp");
    head.clamp = clamp != nullptr && clamp->is_boolean() && clamp->get<bool>();
    head.if_used_at_least = integer(object, "if_used_at_least");
    head.chunk = count(object, "chunk");
    return head;
}

}  // namespace

PlanReader::PlanReader(std::string path) : path_(std::move(path)) {
    const int fd = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat facts {};
    if (fd < 0 || ::fstat(fd, &facts) != 0) {
        throw support::Failure(ExitCode::local_io, fmt::format("cannot read the plan '{}': {}; nothing was written",
                                                               path_, std::strerror(errno)));
    }
    file_.reset(::fdopen(fd, "r"));
    if (!S_ISREG(facts.st_mode)) {
        throw support::Failure(ExitCode::local_io,
                               fmt::format("the plan '{}' is no regular file; nothing was written", path_),
                               "a plan is read twice, first to see that it is whole");
    }
    read_head();
    verify();
    rewind();
}

void PlanReader::read_head() {
    if (!read_line()) bad("it is empty");
    const json object = json::parse(line_, nullptr, false);
    if (!object.is_object() || text(object, "schema").empty()) bad("its first line is no head of a plan");
    if (text(object, "schema") != kPlanSchema) {
        bad(fmt::format("its schema is '{}', and this ratectl knows '{}'", text(object, "schema"), kPlanSchema));
    }
    head_ = head_of(object);
    if (head_.operation.empty() || head_.kind.empty() || head_.chunk == 0) bad("its head lacks something");
}

/// The last line says how many rows there are and what their bytes sum up to.
void PlanReader::verify() {
    PlanChecksum checksum;
    checksum.add(line_ + '\n');
    std::string before;
    std::uint64_t lines = 0;
    bool more = read_line();
    if (!more) bad("it breaks off after its head");
    for (before = line_; (more = read_line()); before = line_) {
        checksum.add(before + '\n');
        ++lines;
    }
    const json last = json::parse(before, nullptr, false);
    if (!last.is_object() || !last.contains("checksum")) bad("it breaks off: its last line does not end a plan");
    if (text(last, "checksum") != checksum.text() || !last.contains("rows") || count(last, "rows") != lines) {
        bad("it was changed since it was made");
    }
    rows_ = lines;
}

void PlanReader::rewind() {
    std::rewind(file_.get());
    given_ = 0;
    line_number_ = 0;
    read_line();
}

std::optional<PlanRow> PlanReader::next() {
    if (given_ == rows_) return std::nullopt;
    if (!read_line()) bad("it breaks off");
    ++given_;
    const json object = json::parse(line_, nullptr, false);
    if (!object.is_object()) bad("this is no row");
    const auto key = key_of(object);
    PlanRow row;
    row.row = count(object, "row");
    row.slice = count(object, "slice");
    row.shard = text(object, "shard");
    if (!key || row.row != given_ || row.slice == 0 || row.shard.empty()) bad("the row lacks something");
    row.key = *key;
    row.used = half(object, "used");
    row.reset_at = half(object, "reset_at");
    row.state = text(object, "state");
    row.amount = integer(object, "amount");
    row.period_s = integer(object, "period_s");
    return row;
}

bool PlanReader::read_line() {
    line_.clear();
    for (int c = 0; (c = ::getc_unlocked(file_.get())) != EOF;) {
        line_ += static_cast<char>(c);
        if (c == '\n') break;
        if (line_.size() > kLongestLine) bad("a line is too long");
    }
    if (line_.empty()) {
        if (std::ferror(file_.get()) != 0) bad("it cannot be read to its end");
        return false;
    }
    ++line_number_;
    if (line_.back() != '\n') bad("it breaks off in the middle of a line");
    line_.pop_back();
    return true;
}

void PlanReader::bad(const std::string& what) const {
    throw support::Failure(
        ExitCode::guard,
        fmt::format("the plan '{}' cannot be applied (line {}): {}; nothing was written", path_, line_number_, what),
        kMakeAnew);
}

}  // namespace ratectl::input
