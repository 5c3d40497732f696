// One shell script makes all certificates; elliptic curves, because those keys cost nothing.
#include "support/test_certificates.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "support/fake_server.h"
#include "support/require.h"

namespace ratectl::test {
namespace {

constexpr const char* kScript = R"sh(
set -e
key() { openssl genpkey -quiet -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1.key"; }
authority() { key "$1"; openssl req -x509 -new -key "$1.key" -subj "/O=ratectl tests/CN=$2" -days 30 -out "$1.pem"; }
asks() { key "$1"; openssl req -new -key "$1.key" -subj "/CN=$2" -out "$1.csr"; }
cert() { # file authority name alternative-names
    asks "$1" "$3"; printf 'subjectAltName=%s\n' "$4" >"$1.ext"
    openssl x509 -req -in "$1.csr" -CA "$2.pem" -CAkey "$2.key" -set_serial "0x$(openssl rand -hex 8)" \
        -days 30 -extfile "$1.ext" -out "$1.pem"
}
dated() { # file start end
    asks "$1" localhost; printf 'subjectAltName=DNS:localhost\n' >"$1.ext"; : >index.txt
    printf '%s\n' '[ca]' default_ca=d '[d]' database=index.txt new_certs_dir=. rand_serial=yes default_md=sha256 \
        policy=p '[p]' commonName=supplied >ca.conf
    openssl ca -batch -config ca.conf -in "$1.csr" -cert ca.pem -keyfile ca.key -startdate "$2" -enddate "$3" \
        -extfile "$1.ext" -out "$1.pem" -notext
}
authority ca 'Good Authority'; authority other-ca 'Other Authority'
cert server ca localhost 'DNS:localhost,IP:127.0.0.1'
cert elsewhere ca elsewhere.internal 'DNS:elsewhere.internal'
cert stranger other-ca localhost 'DNS:localhost,IP:127.0.0.1'
asks nameless localhost; openssl x509 -req -in nameless.csr -CA ca.pem -CAkey ca.key -set_serial 0x77 -days 30 -out nameless.pem
cert client ca client 'DNS:client'; cert foreign-client other-ca client 'DNS:client'
dated expired 20200101000000Z 20200201000000Z; dated early 21000101000000Z 21000201000000Z
cert locked ca client 'DNS:client'
openssl pkey -in locked.key -aes256 -passout pass:secret -out locked2.key; mv locked2.key locked.key
: >empty-ca.pem; echo 'no certificate at all' >garbage.pem
)sh";

sandbox::Spawn shell_of(const std::string& folder) {
    sandbox::Spawn shell;
    shell.program = "/bin/sh";
    shell.arguments = {"-c", kScript};
    shell.inherit_environment = true;
    shell.folder = folder;
    return shell;
}

// Looked up, not tried: the server would take what it is to say for the connection that tries.
bool listens(std::uint16_t port) {
    std::ifstream table("/proc/net/tcp");
    std::string line;
    const std::string wanted = fmt::format(":{:04X} 00000000:0000 0A", port);
    while (std::getline(table, line)) {
        if (line.find(wanted) != std::string::npos) return true;
    }
    return false;
}

}  // namespace

TestCertificates::TestCertificates() : folder_(require(sandbox::TemporaryFolder::make("/tmp", "ratectl-tls"))) {
    const auto status = require(sandbox::ChildProcess::start(shell_of(folder_.path()))).wait();
    if (status.as_shell() != 0)
        throw std::runtime_error("this test needs the openssl program to make certificates, and that failed");
}

const TestCertificates& test_certificates() {
    static const TestCertificates certificates;
    return certificates;
}

OpensslServer::OpensslServer(const std::vector<std::string>& arguments, const std::string& says)
    : port_(closed_port()) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    const support::Descriptor input(ends[0]);
    pipe_ = support::Descriptor(ends[1]);
    const support::Descriptor log(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    sandbox::Spawn server;
    server.program = "/bin/sh";
    server.arguments = {"-c", "exec openssl s_server -quiet \"$@\"", "s_server", "-accept",
                        "127.0.0.1:" + std::to_string(port_)};
    server.arguments.insert(server.arguments.end(), arguments.begin(), arguments.end());
    server.inherit_environment = true;
    server.in = input.get();
    server.out = log.get();
    server.err = log.get();
    auto started = sandbox::ChildProcess::start(server);
    process_ = require(std::move(started));
    for (int i = 0; i < 200 && !listens(port_); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (::write(pipe_.get(), says.data(), says.size()) < 0)
        throw std::runtime_error("openssl s_server does not listen");
}

OpensslServer::~OpensslServer() {
    pipe_.close();
    process_.kill();
}

}  // namespace ratectl::test
