// One list of patterns, applied in order.
#include "examples/normal_text.h"

#include <pwd.h>
#include <unistd.h>

#include <regex>
#include <utility>
#include <vector>

namespace ratectl::test {
namespace {

std::string host_name() {
    char name[256] = {};
    ::gethostname(name, sizeof name - 1);
    return name;
}

std::string user_name() {
    const passwd* entry = ::getpwuid(::geteuid());
    return entry == nullptr ? std::string{} : entry->pw_name;
}

void replace_all(std::string& text, const std::string& what, const std::string& by) {
    if (what.empty()) return;
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
        text.replace(at, what.size(), by);
}

const std::vector<std::pair<std::regex, std::string>>& patterns() {
    static const std::vector<std::pair<std::regex, std::string>> list = [] {
        std::vector<std::pair<std::regex, std::string>> made;
        const auto add = [&made](const char* pattern, const char* by) {
            made.emplace_back(std::regex(pattern, std::regex::optimize), by);
        };
        add(R"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z| UTC|[+-]\d\d:?\d\d)?)", "<time>");
        add(R"((Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT)", "<time>");
        add(R"(\b\d\d:\d\d:\d\d(Z| UTC|[+-]\d\d:\d\d)?)", "<time>");
        add(R"(\b(127\.0\.0\.1|localhost):\d+)", "$1:<port>");
        add(R"(\b(?!01JD0W3V5M7Q9R2T4X6Z8B1C3D)[0-7][0-9A-HJKMNP-TV-Z]{25}\b)", "<operation>");
        add(R"(\b[0-9a-f]{40}\b)", "<id>");
        add(R"((_ms|_us|_bytes|_offset|_s|_at|pid|memory|clients|_percent_used|keys)\":-?\d+(\.\d+)?)", "$1\":<n>");
        add(R"((;t=|Retry-After: )\d+)", "$1<n>");
        add(R"(<operation>\.\d+)", "<operation>");
        add(R"(watched for [0-9a-z]+)", "watched for <duration>");
        add(R"(\d+ changes?, \d+ looks?)", "<n> changes, <n> looks");
        add(R"(\d+ combinations)", "<n> combinations");
        add(R"(ratectl-sandbox-\w{6})", "ratectl-sandbox-<mark>");
        add(R"(\d+ windows? of a sample)", "<n> windows of a sample");
        add(R"(client-[0-9a-f]{8}\b)", "client-<mark>");
        add(R"(\b1[789]\d{8}(\d{3})?\b)", "<epoch>");
        add(R"(\b(\d+h)?\d+m(\d+s)?\b)", "<duration>");
        add(R"([-+]?\b\d+(\.\d+)? ?(ms|us|s)\b)", "<duration>");
        add(R"(\b\d+(\.\d+)? ?(B|KiB|MiB|GiB|bytes)\b)", "<size>");
        add(R"((redis|valkey)_version:[0-9.]+|\b[678]\.\d+\.\d+\b)", "<version>");
        add(R"(  +)", "  ");
        add(R"( +\n)", "\n");
        return made;
    }();
    return list;
}

}  // namespace

std::string normal_text(std::string text, const std::string& folder) {
    replace_all(text, folder, "<folder>");
    for (const auto& [pattern, by] : patterns()) text = std::regex_replace(text, pattern, by);
    replace_all(text, "@" + host_name(), "@<host>");
    replace_all(text, "\"host\":\"" + host_name() + "\"", "\"host\":\"<host>\"");
    replace_all(text, "\"actor\":\"" + user_name() + "\"", "\"actor\":\"<user>\"");
    replace_all(text, "  " + user_name() + "  ", "  <user>  ");
    return text;
}

std::string without_figures(const std::string& text) {
    static const std::regex figure(R"(\b\d+(\.\d+)?\b)", std::regex::optimize);
    return std::regex_replace(text, figure, "<n>");
}

}  // namespace ratectl::test
