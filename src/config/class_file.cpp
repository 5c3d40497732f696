// Reads class files line by line; an error names the line and not its text, because a client may be a secret.
#include "config/class_file.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "config/config_file.h"
#include "support/number_text.h"
#include "support/suggest.h"

namespace ratectl::config {
namespace {

using support::ExitCode;
using support::Failure;

constexpr std::size_t kLargestFile = 256u << 20;

[[noreturn]] void refuse(const std::string& path, std::size_t line, std::string_view why, std::string hint = {}) {
    throw Failure(ExitCode::configuration, fmt::format("{}:{}: {}", path, line, why), std::move(hint));
}

std::string_view without_blanks(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// The field in quotes that begins at `at`; leaves `at` behind the closing quote. Null when it is not closed.
std::optional<std::string> quoted_field(std::string_view line, std::size_t& at) {
    std::string field;
    for (++at; at < line.size(); ++at) {
        if (line[at] != '"') {
            field += line[at];
        } else if (line.substr(at, 2) == "\"\"") {
            field += '"';
            ++at;
        } else {
            ++at;
            return field;
        }
    }
    return std::nullopt;
}

/// The fields of one line; null when its quotes are wrong.
std::optional<std::vector<std::string>> split_fields(std::string_view line) {
    std::vector<std::string> fields;
    std::size_t at = 0;
    for (;;) {
        while (at < line.size() && (line[at] == ' ' || line[at] == '\t')) ++at;
        const bool quoted = at < line.size() && line[at] == '"';
        std::optional<std::string> field = quoted ? quoted_field(line, at) : std::string{};
        if (!field) return std::nullopt;
        const auto comma = std::min(line.find(',', at), line.size());
        const auto rest = without_blanks(line.substr(at, comma - at));
        if (quoted && !rest.empty()) return std::nullopt;
        if (!quoted) field = std::string{rest};
        fields.push_back(std::move(*field));
        if (comma == line.size()) return fields;
        at = comma + 1;
    }
}

domain::ClassMember member_of(const std::vector<std::string>& fields, const std::string& path, std::size_t line,
                              const ClassLimits& classes) {
    domain::ClassMember member;
    member.client_class = fields[1];
    if (fields.size() == 3 && !fields[2].empty()) {
        const auto limit = support::parse_unsigned(fields[2], static_cast<std::uint64_t>(support::kMaxExactInteger));
        if (!limit) refuse(path, line, "its third field is not a limit: a whole number is expected");
        member.limit = static_cast<std::int64_t>(*limit);
    }
    if (!member.limit && !classes.contains(member.client_class)) {
        std::vector<std::string> known;
        for (const auto& [name, limit] : classes) known.push_back(name);
        refuse(path, line,
               "the class of this line is not among the policy's classes, and the line has no limit of its own",
               support::did_you_mean(member.client_class, known));
    }
    return member;
}

/// Gives `take` each line that says something, without blanks at its ends, and its number.
template <class Take>
void for_each_line(std::string_view text, Take take) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    for (std::size_t line = 1; !text.empty(); ++line) {
        const auto end = std::min(text.find('\n'), text.size());
        std::string_view content = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (content.ends_with('\r')) content.remove_suffix(1);
        content = without_blanks(content);
        if (!content.empty() && !content.starts_with('#')) take(content, line);
    }
}

std::string text_of(const std::string& path, const std::string& key) {
    auto file = read_regular_file(path, kLargestFile, key);
    if (!file) throw Failure(ExitCode::configuration, fmt::format("{} {} does not exist", key, path));
    return std::move(file->text);
}

}  // namespace

Members parse_class_file(std::string_view text, const std::string& path, const ClassLimits& classes,
                         const InKeys& in_keys) {
    Members members;
    bool first = true;
    for_each_line(text, [&](std::string_view content, std::size_t line) {
        auto fields = split_fields(content);
        if (!fields) refuse(path, line, "the double quotes of this line do not match");
        const bool header = first && fields->size() >= 2 && (*fields)[0] == "client" && (*fields)[1] == "class";
        first = false;
        if (header) return;
        if (fields->size() < 2 || fields->size() > 3)
            refuse(path, line, "a line is client,class or client,class,limit");
        if ((*fields)[0].empty()) refuse(path, line, "the client is empty");
        auto member = member_of(*fields, path, line, classes);
        if (!members.emplace(in_keys((*fields)[0]), std::move(member)).second)
            refuse(path, line, "the client of this line is named a second time");
    });
    return members;
}

Exempt parse_exempt_file(std::string_view text, const InKeys& in_keys) {
    Exempt exempt;
    for_each_line(text, [&](std::string_view client, std::size_t) { exempt.insert(in_keys(client)); });
    return exempt;
}

Members read_class_file(const std::string& path, const ClassLimits& classes, const InKeys& in_keys) {
    return parse_class_file(text_of(path, "class_file"), path, classes, in_keys);
}

Exempt read_exempt_file(const std::string& path, const InKeys& in_keys) {
    return parse_exempt_file(text_of(path, "exempt_file"), in_keys);
}

}  // namespace ratectl::config
