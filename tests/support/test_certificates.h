// Certificates of an authority of our own, made with the openssl program, for servers and clients of TLS tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sandbox/folder.h"
#include "sandbox/process.h"
#include "support/descriptor.h"

namespace ratectl::test {

/// Files NAME.pem and NAME.key: ca, other-ca, empty-ca, garbage; server (DNS localhost, IP 127.0.0.1), elsewhere (DNS
/// elsewhere.internal), expired, early (not yet valid), stranger (localhost, signed by other-ca), client,
/// foreign-client (signed by other-ca), locked (key with a pass phrase).
class TestCertificates {
public:
    /// Throws std::runtime_error when openssl is missing or fails.
    TestCertificates();

    std::string file(const std::string& name) const { return folder_.path() + "/" + name; }

private:
    sandbox::TemporaryFolder folder_;
};

/// The same files for all tests of a process: making them takes a moment.
const TestCertificates& test_certificates();

/// `openssl s_server` on a free loopback port; it sends `says` to every client that connects, and ends with the object.
class OpensslServer {
public:
    OpensslServer(const std::vector<std::string>& arguments, const std::string& says);
    ~OpensslServer();
    OpensslServer(const OpensslServer&) = delete;
    OpensslServer& operator=(const OpensslServer&) = delete;

    std::uint16_t port() const { return port_; }

private:
    std::uint16_t port_;
    support::Descriptor pipe_;
    sandbox::ChildProcess process_;
};

}  // namespace ratectl::test
