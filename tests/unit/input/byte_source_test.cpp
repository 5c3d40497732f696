// Files, fifos and gzip.
#include "input/byte_source.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <sys/stat.h>
#include <unistd.h>

#include "support/catch.h"
#include "unit/input/sources.h"
#include "unit/random_source.h"

using namespace ratectl;
using namespace ratectl::input;
using test::gzip;
using test::read_all;

namespace {

/// A folder that goes away with the test.
class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string shape = (std::filesystem::temp_directory_path() / "ratectl-input-XXXXXX").string();
        if (::mkdtemp(shape.data()) == nullptr) throw std::runtime_error("no temporary folder");
        path_ = shape;
    }
    ~TemporaryFolder() { std::filesystem::remove_all(path_); }
    std::string file(const std::string& name, const std::string& bytes) const {
        std::ofstream(path_ / name, std::ios::binary) << bytes;
        return (path_ / name).string();
    }
    std::string path(const std::string& name) const { return (path_ / name).string(); }

private:
    std::filesystem::path path_;
};

std::unique_ptr<ByteSource> unpacked(const std::string& bytes, std::size_t piece = 4096) {
    return maybe_gunzip(std::make_unique<test::DrippingSource>(bytes, piece));
}

support::Error source_error(ByteSource& source) {
    try {
        read_all(source);
    } catch (const support::Failure& failure) {
        return failure.error();
    }
    return {support::ExitCode::done, "nothing was thrown", ""};
}

}  // namespace

TEST_CASE("a file is read as it is") {
    const TemporaryFolder folder;
    const std::string bytes("one\ntwo\0\xff", 9);
    const auto source = open_file(folder.file("log", bytes));
    CHECK(source->name() == folder.path("log"));
    CHECK(source->ready());
    CHECK(read_all(*source) == bytes);
    CHECK(read_all(*open_file(folder.file("empty", ""))).empty());
    CHECK(read_all(*open_file(folder.file("one", "\x1f"))) == "\x1f");
}

TEST_CASE("a gzip file is unpacked whatever its name") {
    const TemporaryFolder folder;
    CHECK(read_all(*open_file(folder.file("log", gzip("packed\n")))) == "packed\n");
    CHECK(read_all(*open_file(folder.file("plain.gz", "not packed\n"))) == "not packed\n");
}

TEST_CASE("what cannot be read is named with its reason") {
    const TemporaryFolder folder;
    for (const std::string& path : {folder.path("missing"), folder.path(".")}) {
        try {
            read_all(*open_file(path));
            FAIL("it was read");
        } catch (const support::Failure& failure) {
            CHECK(failure.error().code == support::ExitCode::local_io);
            CHECK(failure.error().message.find(path) != std::string::npos);
        }
    }
}

TEST_CASE("a fifo is read until its writer closes it") {
    const TemporaryFolder folder;
    REQUIRE(::mkfifo(folder.path("fifo").c_str(), 0600) == 0);
    std::thread writer([&] { std::ofstream(folder.path("fifo")) << "through a pipe\n"; });
    const auto source = open_file(folder.path("fifo"));
    CHECK(read_all(*source) == "through a pipe\n");
    writer.join();
}

TEST_CASE("a stop ends a read that waits for a silent writer") {
    const TemporaryFolder folder;
    REQUIRE(::mkfifo(folder.path("fifo").c_str(), 0600) == 0);
    int wake[2];
    REQUIRE(::pipe(wake) == 0);
    support::StopSignal stop(wake[0]);
    std::ofstream held;
    std::thread writer([&] {
        held.open(folder.path("fifo"));
        held << "x\n" << std::flush;
    });
    const auto source = open_file(folder.path("fifo"), support::Patience(stop));
    writer.join();
    bool woken = false;
    std::thread interrupter([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds{50});
        stop.set(SIGINT);
        woken = ::write(wake[1], "!", 1) == 1;
    });
    CHECK(source_error(*source).code == support::ExitCode::interrupted);
    interrupter.join();
    CHECK(woken);
    ::close(wake[0]);
    ::close(wake[1]);
}

TEST_CASE("a deadline ends the wait for a fifo that no writer opens") {
    const TemporaryFolder folder;
    REQUIRE(::mkfifo(folder.path("fifo").c_str(), 0600) == 0);
    const support::StopSignal stop;
    const support::Patience patience(stop, std::chrono::steady_clock::now() + std::chrono::milliseconds{20});
    try {
        open_file(folder.path("fifo"), patience);
        FAIL("it was opened");
    } catch (const support::Failure& failure) {
        CHECK(failure.error().code == support::ExitCode::unavailable);
        CHECK(failure.error().message == "the deadline passed while reading " + folder.path("fifo"));
    }
}

TEST_CASE("members of a gzip stream follow each other without a seam") {
    test::RandomSource random;
    SHOW_SEED(random);
    for (int i = 0; i < 100; ++i) {
        std::string plain;
        std::string packed;
        for (auto members = random.number(1, 4); members > 0; --members) {
            const std::string part = random.bytes("abc\n", 0, 3000);
            plain += part;
            packed += gzip(part);
        }
        if (random.one_in(3)) packed.append(static_cast<std::size_t>(random.number(1, 600)), '\0');
        const auto source = unpacked(packed, static_cast<std::size_t>(random.number(1, 700)));
        CHECK(read_all(*source, static_cast<std::size_t>(random.number(1, 5000))) == plain);
    }
}

TEST_CASE("damaged gzip is an error and never a silent end") {
    const std::string packed = gzip("the quick brown fox jumps over the lazy dog\n");
    for (std::size_t cut = 2; cut < packed.size(); ++cut) {
        CAPTURE(cut);
        CHECK(source_error(*unpacked(packed.substr(0, cut))).code == support::ExitCode::local_io);
    }
    std::string wrong_sum = packed;
    wrong_sum[wrong_sum.size() - 6] ^= 1;
    CHECK(source_error(*unpacked(wrong_sum)).message.find("drip: damaged gzip data") == 0);
    CHECK(source_error(*unpacked(packed + "trailing text")).code == support::ExitCode::local_io);
}

TEST_CASE("a borrowed source reads its owner") {
    StringSource owner("text", "owner");
    const auto source = borrow(owner);
    CHECK(source->name() == "owner");
    CHECK(read_all(*source) == "text");
    CHECK(read_all(owner).empty());
}
