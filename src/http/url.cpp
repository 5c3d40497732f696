// Takes URLs apart with http_parser.
#include "http/url.h"

#include <http_parser.h>

#include <fmt/format.h>

namespace ratectl::http {
namespace {

constexpr std::uint16_t kHttp = 80;
constexpr std::uint16_t kHttps = 443;

tl::unexpected<support::Error> wrong(const char* what, const char* hint = "") {
    return support::failure(support::ExitCode::usage, what, hint);
}

}  // namespace

std::string Url::authority() const {
    const auto& host = endpoint.host;
    const auto name = host.find(':') == std::string::npos ? host : '[' + host + ']';
    return endpoint.port == (endpoint.tls ? kHttps : kHttp) ? name : fmt::format("{}:{}", name, endpoint.port);
}

std::string Url::text() const { return fmt::format("http{}://{}{}", endpoint.tls ? "s" : "", authority(), path); }

support::Result<Url> parse_url(std::string_view text) {
    http_parser_url parts{};
    http_parser_url_init(&parts);
    if (http_parser_parse_url(text.data(), text.size(), 0, &parts) != 0)
        return wrong("is no URL", "http://HOST:PORT, or https://");
    const auto part = [&](http_parser_url_fields field) {
        const auto& place = parts.field_data[field];
        return (parts.field_set >> field & 1) != 0 ? text.substr(place.off, place.len) : std::string_view();
    };
    if (!part(UF_USERINFO).empty()) {
        return wrong("has a user or a password in it, which every user of the machine could see",
                     "--load-token-file FILE has the token");
    }
    if (!part(UF_QUERY).empty() || !part(UF_FRAGMENT).empty())
        return wrong("has a query or a fragment: it is where the server is, and no more");
    const auto scheme = part(UF_SCHEMA);
    if (scheme != "http" && scheme != "https") return wrong("is neither http:// nor https://");
    Url url;
    url.endpoint.tls = scheme == "https";
    url.endpoint.host = part(UF_HOST);
    url.endpoint.port = parts.port != 0 ? parts.port : url.endpoint.tls ? kHttps : kHttp;
    url.path = part(UF_PATH);
    while (url.path.ends_with('/')) url.path.pop_back();
    return url;
}

std::string percent_encoded(std::string_view text) {
    constexpr std::string_view unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    std::string encoded;
    for (const char c : text) {
        if (unreserved.find(c) != std::string_view::npos)
            encoded += c;
        else
            encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return encoded;
}

}  // namespace ratectl::http
