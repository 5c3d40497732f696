// Reads a plan file: all of it is checked before any of it is used.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "input/plan_file.h"
#include "support/base64.h"
#include "support/number_text.h"

namespace ratectl::input {

namespace {

using nlohmann::json;
using support::ExitCode;

/// Room for the largest sensible key, escaped and with its base64 beside it.
constexpr std::size_t kLongestLine = std::size_t{8} * 1024 * 1024;

/// The end of a window that is opened has to be exact, and its milliseconds a number.
constexpr std::int64_t kLongestPeriod = support::kMaxExactInteger / 2;

constexpr const char* kMakeAnew = "a plan is applied as it was written, or not at all: make a new one with --plan";

/// The members of one line. What is missing or null is null; what is there and of another type is remembered as wrong,
/// because to pass it over would be another plan.
class Members {
public:
    explicit Members(const json& object) : object_(object) {}

    std::optional<std::string> text(const char* name) {
        const auto* value = member(name);
        if (value == nullptr) return std::nullopt;
        return value->is_string() ? std::optional{value->get<std::string>()} : wrong<std::string>(name);
    }
    bool flag(const char* name) {
        const auto* value = member(name);
        if (value == nullptr) return false;
        return value->is_boolean() ? value->get<bool>() : wrong<bool>(name).value_or(false);
    }
    std::optional<std::int64_t> integer(const char* name, std::int64_t least = -support::kMaxExactInteger,
                                        std::int64_t most = support::kMaxExactInteger) {
        const auto* value = member(name);
        if (value == nullptr) return std::nullopt;
        const bool large = value->is_number_unsigned() &&
                           value->get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()};
        if (!value->is_number_integer() || large) return wrong<std::int64_t>(name);
        const auto number = value->get<std::int64_t>();
        return number < least || number > most ? wrong<std::int64_t>(name) : std::optional{number};
    }
    std::uint64_t count(const char* name) { return static_cast<std::uint64_t>(integer(name, 1).value_or(0)); }
    std::optional<std::string> bytes(const char* name) {
        const auto encoded = text(name);
        if (!encoded) return std::nullopt;
        const auto decoded = support::from_base64(*encoded);
        return decoded ? std::optional{*decoded} : wrong<std::string>(name);
    }
    /// `NAME` where it is an integer, or else `NAME_b64`.
    std::optional<std::string> stored(const std::string& name) {
        const auto number =
            integer(name.c_str(), std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max());
        return number ? std::optional{std::to_string(*number)} : bytes((name + "_b64").c_str());
    }
    /// The first that is of another type; empty: none is.
    const std::string& wrong_one() const { return wrong_; }

private:
    const json* member(const char* name) const {
        const auto found = object_.find(name);
        return found == object_.end() || found->is_null() ? nullptr : &*found;
    }
    template <class Value>
    std::optional<Value> wrong(const char* name) {
        if (wrong_.empty()) wrong_ = name;
        return std::nullopt;
    }

    const json& object_;
    std::string wrong_;
};

PlanHead head_of(Members& members) {
    PlanHead head;
    head.operation = members.text("operation").value_or("");
    head.kind = members.text("kind").value_or("");
    head.deployment = members.text("deployment").value_or("");
    head.created_at = members.text("created_at").value_or("");
    head.made_by = members.text("made_by").value_or("");
    head.reason = members.text("reason").value_or("");
    head.clamp = members.flag("clamp");
    head.if_used_at_least = members.integer("if_used_at_least");
    head.chunk = members.count("chunk");
    return head;
}

PlanRow row_of(Members& members) {
    PlanRow row;
    row.row = members.count("row");
    row.slice = members.count("slice");
    row.shard = members.text("shard").value_or("");
    row.used = members.stored("used");
    row.reset_at = members.stored("reset_at");
    row.state = members.text("state").value_or("");
    row.amount = members.integer("amount");
    row.period_s = members.integer("period_s", 1, kLongestPeriod);
    row.if_used_at_least = members.integer("if_used_at_least");
    row.follows = members.flag("follows");
    row.layout = members.text("layout").value_or("");
    return row;
}

}  // namespace

PlanReader::PlanReader(std::string path, const support::Patience& patience) : path_(std::move(path)) {
    const int fd = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat facts {};
    if (fd < 0 || ::fstat(fd, &facts) != 0) {
        throw support::Failure(ExitCode::local_io, fmt::format("cannot read the plan '{}': {}; nothing was written",
                                                               path_, std::strerror(errno)));
    }
    file_.reset(::fdopen(fd, "r"));
    if (!S_ISREG(facts.st_mode)) {
        throw support::Failure(ExitCode::local_io,
                               fmt::format("the plan '{}' is not a regular file; nothing was written", path_),
                               "a plan is read twice, first to see that it is whole");
    }
    read_head();
    verify(patience);
    rewind();
}

void PlanReader::read_head() {
    if (!read_line()) bad("it is empty");
    const json object = json::parse(line_, nullptr, false);
    if (!object.is_object()) bad("its first line is not the head of a plan");
    Members members(object);
    const auto schema = members.text("schema");
    if (!schema) bad("its first line is not the head of a plan");
    if (*schema != kPlanSchema)
        bad(fmt::format("its schema is '{}', and this ratectl knows '{}'", *schema, kPlanSchema));
    head_ = head_of(members);
    check(members.wrong_one());
    if (head_.operation.empty() || head_.kind.empty() || head_.chunk == 0) bad("its head lacks something");
}

/// The last line says how many rows there are and what their bytes sum up to.
void PlanReader::verify(const support::Patience& patience) {
    PlanChecksum checksum;
    checksum.add(line_ + '\n');
    std::string before;
    std::uint64_t lines = 0;
    if (!read_line()) bad("it breaks off after its head");
    for (before = line_; read_line(); before = line_) {
        patience.require(kReadingPlan);
        checksum.add(before + '\n');
        ++lines;
    }
    const json last = json::parse(before, nullptr, false);
    if (!last.is_object() || !last.contains("checksum")) bad("it breaks off: its last line does not end a plan");
    Members members(last);
    const auto rows = members.integer("rows", 0);
    if (members.text("checksum") != checksum.text() || !rows || static_cast<std::uint64_t>(*rows) != lines)
        bad("it was changed since it was made");
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
    if (!object.is_object()) bad("this is not a row");
    Members members(object);
    auto row = row_of(members);
    const auto exact = members.bytes("key_b64");
    const auto key = exact ? exact : members.text("key");
    check(members.wrong_one());
    if (!key || row.row != given_ || row.slice == 0 || row.shard.empty()) bad("the row lacks something");
    row.key = *key;
    return row;
}

void PlanReader::check(const std::string& wrong) const {
    if (!wrong.empty()) bad(fmt::format("'{}' is not what a plan says there", wrong));
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
