// Common and Combined log lines, field by field.
#include "input/access_log.h"

#include <algorithm>
#include <array>

#include "support/base64.h"
#include "support/number_text.h"

namespace ratectl::input {

namespace {

using support::Instant;
using support::Result;

constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

tl::unexpected<support::Error> malformed(std::string why) {
    return support::failure(support::ExitCode::local_io, std::move(why));
}

/// Digits that are all there, as a number; -1 otherwise.
int number_at(std::string_view text, std::size_t at, std::size_t n) {
    int value = 0;
    for (const char c : text.substr(at, n)) {
        if (c < '0' || c > '9') return -1;
        value = value * 10 + (c - '0');
    }
    return value;
}

/// The end of a quoted field that begins at `at`; a backslash hides the next byte. npos when it is not closed.
std::size_t closing_quote(std::string_view line, std::size_t at) {
    for (; at < line.size(); ++at) {
        if (line[at] == '\\') {
            ++at;
        } else if (line[at] == '"') {
            return at;
        }
    }
    return std::string_view::npos;
}

/// Undoes `\"`, `\\`, `\n`, `\t` ... and `\xHH`; a backslash before anything else stays.
std::string unescape(std::string_view text) {
    constexpr std::string_view letters = "\"\\nrtbvf";
    constexpr std::string_view meanings = "\"\\\n\r\t\b\v\f";
    std::string bytes;
    bytes.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char next = text[i] == '\\' && i + 1 < text.size() ? text[i + 1] : '\0';
        const std::size_t letter = next == '\0' ? std::string_view::npos : letters.find(next);
        if (letter != std::string_view::npos) {
            bytes += meanings[letter];
            ++i;
            continue;
        }
        const auto byte = next == 'x' ? support::from_hex(text.substr(i + 2, 2)) : std::nullopt;
        if (byte && byte->size() == 1) {
            bytes += *byte;
            i += 3;
            continue;
        }
        bytes += text[i];
    }
    return bytes;
}

/// `GET /a?b HTTP/1.1` or HTTP 0.9's `GET /a`; anything else leaves method and path empty.
void split_request(std::string_view request, LoggedRequest& logged) {
    const std::size_t first = request.find(' ');
    if (first == std::string_view::npos || first == 0) return;
    const std::string_view method = request.substr(0, first);
    if (method.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ-_") != std::string_view::npos) return;
    std::string_view target = request.substr(first + 1);
    const std::size_t last = target.rfind(' ');
    if (last != std::string_view::npos && target.substr(last + 1).starts_with("HTTP/")) target = target.substr(0, last);
    target = target.substr(0, target.find('?'));
    if (target.empty()) return;
    logged.method = std::string(method);
    logged.path = unescape(target);
}

/// `200 1234` and whatever follows.
std::optional<int> parse_status(std::string_view text) {
    const int status = text.size() < 3 ? -1 : number_at(text, 0, 3);
    if (status < 100 || (text.size() > 3 && text[3] != ' ')) return std::nullopt;
    const std::string_view rest = text.substr(std::min<std::size_t>(4, text.size()));
    const std::string_view size = rest.substr(0, rest.find(' '));
    if (!size.empty() && size != "-" && size.find_first_not_of("0123456789") != std::string_view::npos) {
        return std::nullopt;
    }
    return status;
}

}  // namespace

std::optional<Instant> parse_log_time(std::string_view text) {
    using namespace std::chrono;
    constexpr std::string_view shape = "dd/mmm/dddd:dd:dd:dd sdddd";
    if (text.size() != shape.size()) return std::nullopt;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const bool separator = shape[i] == '/' || shape[i] == ':' || shape[i] == ' ';
        if (separator && text[i] != shape[i]) return std::nullopt;
    }
    const auto* month_name = std::find(kMonths.begin(), kMonths.end(), text.substr(3, 3));
    const int d = number_at(text, 0, 2);
    const int y = number_at(text, 7, 4);
    const int h = number_at(text, 12, 2);
    const int mi = number_at(text, 15, 2);
    const int s = number_at(text, 18, 2);
    const int zone_h = number_at(text, 22, 2);
    const int zone_m = number_at(text, 24, 2);
    if (month_name == kMonths.end() || std::min({d, y, h, mi, s, zone_h, zone_m}) < 0) return std::nullopt;
    if (h > 23 || mi > 59 || s > 60 || zone_h > 23 || zone_m > 59 || (text[21] != '+' && text[21] != '-')) {
        return std::nullopt;
    }
    const auto m = static_cast<unsigned>(month_name - kMonths.begin()) + 1;
    const year_month_day date{year{y}, month{m}, day{static_cast<unsigned>(d)}};
    if (!date.ok()) return std::nullopt;
    const support::Seconds offset = hours{zone_h} + minutes{zone_m};
    const Instant local = Instant{sys_days{date}} + hours{h} + minutes{mi} + seconds{s};
    return text[21] == '+' ? local - offset : local + offset;
}

Result<LoggedRequest> parse_access_log_line(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) return malformed("the line is empty");
    LoggedRequest logged;
    const std::size_t client_end = line.find(' ');
    if (client_end == 0) return malformed("the client is missing");
    const std::size_t time_begin = client_end == std::string_view::npos ? client_end : line.find(" [", client_end);
    const std::size_t time_end = time_begin == std::string_view::npos ? time_begin : line.find(']', time_begin);
    if (time_end == std::string_view::npos) return malformed("there is no time in brackets");
    logged.client = std::string(line.substr(0, client_end));
    const std::string_view time = line.substr(time_begin + 2, time_end - time_begin - 2);
    const auto at = parse_log_time(time);
    if (!at) return malformed("'" + std::string(time) + "' is not a time of a log");
    logged.at = *at;
    const std::string_view rest = line.substr(time_end + 1);
    if (!rest.starts_with(" \"")) return malformed("there is no request in quotes after the time");
    const std::size_t request_end = closing_quote(rest, 2);
    if (request_end == std::string_view::npos) return malformed("the request's quotes are not closed");
    split_request(rest.substr(2, request_end - 2), logged);
    const std::string_view after = rest.substr(request_end + 1);
    const auto status = after.starts_with(' ') ? parse_status(after.substr(1)) : std::nullopt;
    if (!status) return malformed("there is no status and size after the request");
    logged.status = *status;
    return logged;
}

}  // namespace ratectl::input
