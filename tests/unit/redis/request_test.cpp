// Commands as bytes: lengths, not separators, carry any key.
#include "redis/request.h"

#include <vector>

#include "support/catch.h"
#include "support/fake_channel.h"

namespace ratectl {
namespace {

using redis::Request;

TEST_CASE("a request counts its commands and keeps every byte of its arguments") {
    Request request;
    CHECK(request.empty());
    const std::string key("a\0b\r\n$5\r\n", 9);
    request.add({"SET", key, ""});
    CHECK(request.bytes() == std::string("*3\r\n$3\r\nSET\r\n$9\r\na\0b\r\n$5\r\n\r\n$0\r\n\r\n", 34));
    CHECK(request.first_command_bytes() == 34);
    request.add({"PING"});
    CHECK(request.commands() == 2);
    CHECK(request.first_command_bytes() == 34);
    CHECK(test::commands_of(request) == std::vector<test::Command>{{"SET", key, ""}, {"PING"}});
}

TEST_CASE("spans of views and of strings make the same request as a list") {
    const std::vector<std::string> strings{"MGET", "a", "a:exp", std::string(1000, 'x')};
    const std::vector<std::string_view> views(strings.begin(), strings.end());
    Request list;
    Request of_strings;
    Request of_views;
    list.add({strings[0], strings[1], strings[2], strings[3]});
    of_strings.add(std::span<const std::string>(strings));
    of_views.add(std::span<const std::string_view>(views));
    CHECK(of_strings.bytes() == list.bytes());
    CHECK(of_views.bytes() == list.bytes());
}

TEST_CASE("a cleared request starts anew") {
    Request request;
    request.add({"GET", "some key"});
    request.clear();
    CHECK(request.empty());
    CHECK(request.bytes().empty());
    request.add({"PING"});
    CHECK(request.first_command_bytes() == request.bytes().size());
}

}  // namespace
}  // namespace ratectl
