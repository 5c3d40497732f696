// TLS over a connected socket: who the server must prove to be, and words for why it could not. OpenSSL stays in
// tls.cpp.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <system_error>

#include <asio/awaitable.hpp>
#include <asio/buffer.hpp>
#include <asio/generic/stream_protocol.hpp>

#include "domain/endpoint.h"
#include "support/error.h"

namespace ratectl::redis {

struct TlsFailure {
    support::ExitCode code = support::ExitCode::access;
    std::string words;  // subject and issuer are raw bytes of the peer
    std::string hint;
};

class TlsSession {
public:
    virtual ~TlsSession() = default;
    virtual asio::awaitable<std::error_code> handshake() = 0;
    /// Both as asio's: some bytes, or an error and what was transferred.
    virtual asio::awaitable<std::size_t> read_some(asio::mutable_buffer into, std::error_code& error) = 0;
    virtual asio::awaitable<std::size_t> write_some(asio::const_buffer bytes, std::error_code& error) = 0;
    /// What an error code of this session means; a refused client certificate shows only at the first read.
    virtual TlsFailure failure(const std::error_code& code) const = 0;
    /// True for the codes of a stream that ended, in order or cut off.
    virtual bool is_end(const std::error_code& code) const = 0;
};

/// TLS 1.2 or newer with encryption and a certificate, whatever OPENSSL_CONF says; the chain and the name (or address)
/// of the server, which has to stand in its subjectAltName, are verified unless `insecure`.
class TlsContext {
public:
    virtual ~TlsContext() = default;
    /// server_name: a host name (also sent as SNI) or an address literal (never sent). The socket outlives the session.
    virtual std::unique_ptr<TlsSession> start(asio::generic::stream_protocol::socket& socket,
                                              const std::string& server_name) = 0;
};

/// False in a build without OpenSSL.
bool tls_built_in();

/// Errors (configuration) name the file that is missing, unreadable or not what it should be, or say that this build
/// has no TLS.
support::Result<std::unique_ptr<TlsContext>> make_tls_context(const domain::TlsOptions& options);

}  // namespace ratectl::redis
