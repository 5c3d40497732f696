// Standard error: whole lines, foreign bytes made printable, or one JSON object a line.
#include "output/diagnostics.h"

#include "support/catch.h"
#include "support/json.h"

using namespace ratectl::output;
using ratectl::support::Error;
using ratectl::support::ExitCode;
using ratectl::test::parse_json;

TEST_CASE("an error names the program and its hint has a line of its own") {
    StringSink err;
    Diagnostics messages(err, {});
    messages.error(Error{ExitCode::unavailable, "shard 'alpha' (10.0.0.7:6379): no reply within 2s", "is it up?"});
    CHECK(err.text == "ratectl: shard 'alpha' (10.0.0.7:6379): no reply within 2s\nhint: is it up?\n");
}

TEST_CASE("a hint that several messages in a row have is said below the first of them") {
    StringSink err;
    Diagnostics messages(err, {});
    const Error error{ExitCode::unavailable, "shard 'a' is gone", "look there"};
    messages.error(error);
    messages.error(error);
    messages.notice("something else");
    messages.error(error);
    CHECK(err.text ==
          "ratectl: shard 'a' is gone\nhint: look there\nratectl: shard 'a' is gone\n"
          "ratectl: notice: something else\nratectl: shard 'a' is gone\nhint: look there\n");
}

TEST_CASE("foreign bytes in a message can neither move the cursor nor begin a line") {
    StringSink err;
    Diagnostics messages(err, {});
    messages.error(Error{ExitCode::guard, "key 'a\nratectl: all is well\x1b[2J'", "see 'b\nratectl: fine'"});
    CHECK(err.text == "ratectl: key 'a\\nratectl: all is well\\x1b[2J'\nhint: see 'b\n      ratectl: fine'\n");
}

TEST_CASE("quiet keeps errors only") {
    StringSink err;
    Diagnostics messages(err, {.terminal = true, .quiet = true});
    messages.notice("n");
    messages.warning("w");
    messages.progress("p");
    messages.summary("s");
    CHECK(err.text.empty());
    messages.error(Error{ExitCode::usage, "e", ""});
    CHECK(err.text == "ratectl: e\n");
}

TEST_CASE("messages as json are one object a line with the code and the place") {
    StringSink err;
    Diagnostics messages(err, {.json = true});
    messages.error(Error{ExitCode::unavailable, "line\nbreak \xff", ""}, "alpha", "h:1");
    messages.notice("hello", "a hint");
    messages.summary("2 applied", {{"applied", 2}, {"failed", 0}});
    messages.end(ExitCode::unavailable);
    CHECK(std::count(err.text.begin(), err.text.end(), '\n') == 3);
    const auto error = parse_json(err.text.substr(0, err.text.find('\n')));
    CHECK(error["kind"] == "error");
    CHECK(error["code"] == 4);
    CHECK(error["shard"] == "alpha");
    CHECK(error["node"] == "h:1");
    CHECK(error["message"] == "line\\nbreak \\xff");
    CHECK(error["hint"].is_null());
    const auto summary = parse_json(err.text.substr(err.text.rfind('{')));
    CHECK(summary["kind"] == "summary");
    CHECK(summary["applied"] == 2);
    CHECK(summary["failed"] == 0);
}

TEST_CASE("the keys that a warning is about stand below it and each has a line") {
    const std::vector<std::string> keys{"core:alice", "core:\nratectl: all is well"};
    StringSink err;
    Diagnostics(err, {}).warning_about("about to reset 41 windows", keys, 39);
    CHECK(err.text ==
          "ratectl: warning: about to reset 41 windows\n  core:alice\n  core:\\nratectl: all is well\n  and 39 more\n");
    err.text.clear();
    Diagnostics(err, {.terminal = true, .width = 20}).warning_about("w", {std::string(30, 'k')}, 0);
    CHECK(err.text == "ratectl: warning: w\n  " + std::string(9, 'k') + "\u2026" + std::string(8, 'k') + "\n");
    err.text.clear();
    Diagnostics(err, {.json = true}).warning_about("w", keys, 39);
    const auto told = parse_json(err.text);
    CHECK(told["kind"] == "warning");
    CHECK(told["keys"] == nlohmann::json{"core:alice", "core:\nratectl: all is well"});
    CHECK(told["more"] == 39);
    err.text.clear();
    Diagnostics(err, {.quiet = true}).warning_about("w", keys, 39);
    CHECK(err.text.empty());
}

TEST_CASE("progress is wiped by the next line and never leaves a terminal") {
    StringSink err;
    Diagnostics messages(err, {.terminal = true, .width = 10});
    messages.progress("1234567890123\x1b");
    messages.notice("done");
    CHECK(err.text == "\r\x1b[K1234\u2026\\x1b\r\x1b[Kratectl: notice: done\n");
    StringSink pipe;
    Diagnostics silent(pipe, {});
    silent.progress("x");
    silent.clear_progress();
    CHECK(pipe.text.empty());
}

TEST_CASE("colour marks the program name of errors and warnings") {
    StringSink err;
    Diagnostics messages(err, {.color = true});
    messages.warning("w");
    CHECK(err.text == "\x1b[33mratectl:\x1b[0m warning: w\n");
}

TEST_CASE("what is said while somebody has the whole terminal is said afterwards") {
    StringSink err;
    Diagnostics messages(err, {.terminal = true});
    messages.hold();
    messages.notice("one");
    messages.progress("half");
    messages.summary("two");
    CHECK(err.text.empty());
    messages.release();
    CHECK(err.text == "ratectl: notice: one\nratectl: two\n");
    messages.notice("three");
    CHECK(err.text == "ratectl: notice: one\nratectl: two\nratectl: notice: three\n");
}

TEST_CASE("messages as json end with a summary whether or not the command has one and whatever happened") {
    StringSink err;
    Diagnostics refused(err, {.json = true});
    refused.notice("a plan");
    refused.error(Error{ExitCode::guard, "consent is missing", ""});
    refused.end(ExitCode::guard);
    const auto last = parse_json(err.text.substr(err.text.rfind('\n', err.text.size() - 2) + 1));
    CHECK(last["kind"] == "summary");
    CHECK(last["code"] == 7);

    err.text.clear();
    Diagnostics late(err, {.json = true});
    late.summary("2 applied", {{"applied", 2}});
    late.error(Error{ExitCode::local_io, "standard output is full", ""});
    late.end(ExitCode::local_io);
    const auto again = parse_json(err.text.substr(err.text.rfind('\n', err.text.size() - 2) + 1));
    CHECK(again["applied"] == 2);
    CHECK(std::count(err.text.begin(), err.text.end(), '\n') == 2);  // it was said before the error, too

    err.text.clear();
    Diagnostics fine(err, {.json = true});
    fine.end(ExitCode::done);  // nothing was said of commands that have no summary of their own
    const auto only = parse_json(err.text);
    CHECK(only["kind"] == "summary");
    CHECK(only["code"] == 0);
    err.text.clear();
    Diagnostics text(err, {});
    text.error(Error{ExitCode::guard, "no", ""});
    text.end(ExitCode::guard);
    CHECK(err.text == "ratectl: no\n");
}
