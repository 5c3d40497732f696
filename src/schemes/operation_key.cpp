// Builds and parses names of operation keys, and reads what they hold.
#include "schemes/operation_key.h"

#include <array>
#include <utility>

#include "domain/key_template.h"
#include "schemes/write_answer.h"
#include "support/number_text.h"

namespace ratectl::schemes {
namespace {

using domain::OperationRecord;
using domain::WriteKind;
using support::ExitCode;

constexpr std::string_view kFormat = "3";
constexpr std::size_t kHead = 8;  // format, fingerprint, kind, actor, host, reason, server_ms, number of windows
// Ten times what any call has: a value of millions of them would take many times its size in memory.
constexpr std::size_t kMostWindows = 1000;

support::Result<OperationRecord> odd(const domain::SliceId& id, std::string_view what) {
    return support::failure(ExitCode::protocol,
                            "the operation key of " + domain::to_string(id) + " " + std::string(what));
}

std::optional<WriteKind> kind_from(std::string_view word) {
    constexpr std::array<std::pair<std::string_view, WriteKind>, 6> kinds{{{"count", WriteKind::count},
                                                                           {"refund", WriteKind::refund},
                                                                           {"reset", WriteKind::reset},
                                                                           {"restore", WriteKind::restore},
                                                                           {"repair", WriteKind::repair},
                                                                           {"put", WriteKind::put}}};
    for (const auto& [name, kind] : kinds) {
        if (name == word) return kind;
    }
    return std::nullopt;
}

}  // namespace

std::string operation_key(const domain::SliceId& id) {
    const std::string tag = id.tag.empty() ? std::string() : "{" + id.tag + "}:";
    return std::string(domain::kReservedPrefix) + tag + domain::to_string(id);
}

std::string undone_key(const domain::SliceId& id) { return operation_key(id) + ".undone"; }

std::string operation_pattern(const std::optional<std::string>& operation, bool tagged) {
    std::string pattern = domain::escape_glob(domain::kReservedPrefix);
    if (tagged) pattern += "{*}:";
    if (operation) pattern += domain::escape_glob(*operation + ".");
    return pattern + "*";
}

std::optional<domain::SliceId> operation_of(std::string_view key) {
    if (!key.starts_with(domain::kReservedPrefix)) return std::nullopt;
    key.remove_prefix(domain::kReservedPrefix.size());
    std::string tag;
    if (key.starts_with('{')) {
        const auto end = key.find("}:");
        if (end == std::string_view::npos || end == 1) return std::nullopt;
        tag = key.substr(1, end - 1);
        key.remove_prefix(end + 2);
    }
    const auto dot = key.find('.');
    if (dot == std::string_view::npos || !domain::check_operation_id(key.substr(0, dot))) return std::nullopt;
    const auto number = support::parse_unsigned(key.substr(dot + 1));
    if (!number || *number < (tag.empty() ? 1 : domain::number_in_slot(1, 0))) return std::nullopt;
    return domain::SliceId{std::string(key.substr(0, dot)), *number, std::move(tag)};
}

bool skip_operation_head(PackedReader& reader) {
    OptionalView text;
    for (std::size_t i = 0; i < kHead; ++i) {
        if (!reader.next(text) || !text || (i == 0 && *text != kFormat)) return false;
    }
    return true;
}

support::Result<OperationRecord> decode_operation(const domain::SliceId& id, std::string_view value) {
    PackedReader reader(value);
    std::array<OptionalView, kHead> head;
    if (!reader.next(head[0])) return odd(id, "holds nothing that ratectl wrote");
    if (head[0] != kFormat) return odd(id, "was written by another version of ratectl");
    const auto broken = [&] { return odd(id, "holds a broken record"); };
    for (std::size_t i = 1; i < kHead; ++i) {
        if (!reader.next(head[i]) || !head[i]) return broken();
    }
    const auto kind = kind_from(*head[2]);
    const auto server_ms = support::parse_decimal(*head[6]);
    const auto windows = support::parse_unsigned(*head[7], kMostWindows);
    if (!kind || !server_ms || !windows) return broken();
    OperationRecord record;
    record.id = id;
    record.kind = *kind;
    record.fingerprint = *head[1];
    record.actor = *head[3];
    record.host = *head[4];
    record.reason = *head[5];
    record.at = support::WallTime{support::Milliseconds{*server_ms}};
    for (std::size_t i = 0; i < *windows; ++i) {
        WriteAnswer answer;
        const auto key = next_answer(reader, answer);
        if (!key) return broken();
        record.windows.push_back({std::string(*key), answer.status, std::move(answer.reason), std::move(answer.before),
                                  std::move(answer.after), answer.taken});
    }
    if (!reader.at_end()) return broken();
    return record;
}

}  // namespace ratectl::schemes
