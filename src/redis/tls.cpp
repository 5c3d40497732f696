// TLS through asio's OpenSSL stream. Nothing here runs, and no CA bundle is read, unless a rediss:// server is opened.
#include "redis/tls.h"

#ifdef RATECTL_WITH_TLS

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <fmt/format.h>

#include <asio/ip/address.hpp>
#include <asio/redirect_error.hpp>
#include <asio/ssl.hpp>
#include <asio/use_awaitable.hpp>

namespace ratectl::redis {
namespace {

using support::ExitCode;
using Socket = asio::generic::stream_protocol::socket;

struct FreeBio {
    void operator()(BIO* bio) const { BIO_free(bio); }
};
using BioPtr = std::unique_ptr<BIO, FreeBio>;

template <class Print>
std::string printed(Print print) {
    const BioPtr bio(BIO_new(BIO_s_mem()));
    if (!bio) return {};
    print(bio.get());
    char* bytes = nullptr;
    const long size = BIO_get_mem_data(bio.get(), &bytes);
    return size > 0 ? std::string(bytes, static_cast<std::size_t>(size)) : std::string();
}

std::string name_words(const X509_NAME* name) {
    return printed([&](BIO* bio) { X509_NAME_print_ex(bio, name, 0, XN_FLAG_RFC2253); });
}

std::string time_words(const ASN1_TIME* time) {
    return printed([&](BIO* bio) { ASN1_TIME_print(bio, time); });
}

std::string library_words() {
    const unsigned long code = ERR_get_error();
    ERR_clear_error();
    const char* reason = ERR_reason_error_string(code);
    return reason == nullptr ? "no reason given" : reason;
}

bool is_address(const std::string& name) {
    std::error_code error;
    asio::ip::make_address(name, error);
    return !error;
}

// What the certificate check found, copied while the certificate is at hand.
struct Verdict {
    int error = X509_V_OK;
    std::string subject;
    std::string issuer;
    std::string not_before;
    std::string not_after;
    bool names_nothing = false;  // it has no subjectAltName
};

TlsFailure verdict_failure(const Verdict& verdict, const std::string& server_name, const std::string& keys) {
    const std::string who = fmt::format("subject {}, issuer {}", verdict.subject, verdict.issuer);
    std::string words = X509_verify_cert_error_string(verdict.error);
    std::string hint;
    switch (verdict.error) {
        case X509_V_ERR_HOSTNAME_MISMATCH:
        case X509_V_ERR_IP_ADDRESS_MISMATCH:
            words = fmt::format("it is not valid for '{}'", server_name);
            if (verdict.names_nothing) words += ": it has no subjectAltName, and a common name alone does not count";
            hint = fmt::format("is it the right server? {}server_name sets the name that its certificate must carry",
                               keys);
            break;
        case X509_V_ERR_CERT_HAS_EXPIRED: words += " on " + verdict.not_after; break;
        case X509_V_ERR_CERT_NOT_YET_VALID: words += " before " + verdict.not_before; break;
        default: hint = keys + "ca_file names the certificate authority that signs this server's certificate";
    }
    return {ExitCode::access, fmt::format("certificate verify failed: {} ({})", words, who), hint};
}

constexpr const char* kPlainPort = "is this a plain port? Then it is redis://, not rediss://";

/// `asked`: the server has asked for a client certificate.
TlsFailure alert_failure(int reason, const char* words, bool asked, const domain::TlsOptions& options) {
    switch (reason) {
        case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
        case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE:
            if (!asked && reason == SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE) {
                return {ExitCode::access, fmt::format("no cipher suite in common with the server ({})", words),
                        "look at tls-ciphers, tls-ciphersuites and tls-protocols of the server"};
            }
            if (!options.cert_file.empty()) break;
            return {ExitCode::access, "the server wants a client certificate",
                    fmt::format("set {0}cert_file and {0}key_file", options.keys)};
        case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
        case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
        case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
        case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
        case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
        case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
        case SSL_R_TLSV1_ALERT_DECRYPT_ERROR:
            return {ExitCode::access, fmt::format("the server does not accept our client certificate ({})", words),
                    fmt::format("look at {0}cert_file and {0}key_file", options.keys)};
        case SSL_R_UNSUPPORTED_PROTOCOL:
        case SSL_R_NO_PROTOCOLS_AVAILABLE:
        case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
            return {ExitCode::access, fmt::format("no common TLS protocol version, 1.2 or newer is needed ({})", words),
                    ""};
        case SSL_R_WRONG_VERSION_NUMBER:
        case SSL_R_HTTP_REQUEST: return {ExitCode::protocol, "the server does not answer in TLS", kPlainPort};
        default: break;
    }
    return {ExitCode::access, fmt::format("TLS failed: {}", words), ""};
}

class OpenSslSession : public TlsSession {
public:
    OpenSslSession(Socket& socket, asio::ssl::context& context, std::string server_name, domain::TlsOptions options);

    asio::awaitable<std::error_code> handshake() override;
    asio::awaitable<std::size_t> read_some(asio::mutable_buffer into, std::error_code& error) override;
    asio::awaitable<std::size_t> write_some(asio::const_buffer bytes, std::error_code& error) override;
    TlsFailure failure(const std::error_code& code) const override;
    bool is_end(const std::error_code& code) const override;

private:
    void demand_identity();
    void note(X509_STORE_CTX* store);

    asio::ssl::stream<Socket&> stream_;
    std::string server_name_;
    Verdict verdict_;
    domain::TlsOptions options_;
    bool asked_for_certificate_ = false;
};

OpenSslSession::OpenSslSession(Socket& socket, asio::ssl::context& context, std::string server_name,
                               domain::TlsOptions options)
    : stream_(socket, context), server_name_(std::move(server_name)), options_(std::move(options)) {
    const auto note_question = [](SSL*, void* asked) {
        *static_cast<bool*>(asked) = true;
        return 1;
    };
    SSL_set_cert_cb(stream_.native_handle(), note_question, &asked_for_certificate_);
    if (!is_address(server_name_)) SSL_set_tlsext_host_name(stream_.native_handle(), server_name_.c_str());
    if (options_.insecure) {
        stream_.set_verify_mode(asio::ssl::verify_none);
        return;
    }
    demand_identity();
    stream_.set_verify_mode(asio::ssl::verify_peer);
    stream_.set_verify_callback([this](bool good, asio::ssl::verify_context& context_now) {
        if (!good) note(context_now.native_handle());
        return good;
    });
}

void OpenSslSession::demand_identity() {
    X509_VERIFY_PARAM* const wanted = SSL_get0_param(stream_.native_handle());
    X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    // A zone (fe80::1%eth0) says how to get there, no certificate carries it.
    const std::string bare = server_name_.substr(0, server_name_.find('%'));
    const bool set = is_address(server_name_)
                         ? X509_VERIFY_PARAM_set1_ip_asc(wanted, bare.c_str()) == 1
                         : X509_VERIFY_PARAM_set1_host(wanted, server_name_.c_str(), server_name_.size()) == 1;
    if (!set) {
        throw support::Failure(ExitCode::configuration,
                               fmt::format("tls: cannot verify a server named '{}'", server_name_));
    }
}

void OpenSslSession::note(X509_STORE_CTX* store) {
    verdict_.error = X509_STORE_CTX_get_error(store);
    X509* const certificate = X509_STORE_CTX_get_current_cert(store);
    if (certificate == nullptr) return;
    verdict_.names_nothing = X509_get_ext_by_NID(certificate, NID_subject_alt_name, -1) < 0;
    verdict_.subject = name_words(X509_get_subject_name(certificate));
    verdict_.issuer = name_words(X509_get_issuer_name(certificate));
    verdict_.not_before = time_words(X509_get0_notBefore(certificate));
    verdict_.not_after = time_words(X509_get0_notAfter(certificate));
}

asio::awaitable<std::error_code> OpenSslSession::handshake() {
    std::error_code error;
    co_await stream_.async_handshake(asio::ssl::stream_base::client, asio::redirect_error(asio::use_awaitable, error));
    co_return error;
}

asio::awaitable<std::size_t> OpenSslSession::read_some(asio::mutable_buffer into, std::error_code& error) {
    const std::size_t count = co_await stream_.async_read_some(into, asio::redirect_error(asio::use_awaitable, error));
    co_return count;
}

asio::awaitable<std::size_t> OpenSslSession::write_some(asio::const_buffer bytes, std::error_code& error) {
    const std::size_t count =
        co_await stream_.async_write_some(bytes, asio::redirect_error(asio::use_awaitable, error));
    co_return count;
}

TlsFailure OpenSslSession::failure(const std::error_code& code) const {
    if (verdict_.error != X509_V_OK) return verdict_failure(verdict_, server_name_, options_.keys);
    if (code.category() != asio::error::get_ssl_category()) {
        return {ExitCode::unavailable, "connection closed during the TLS handshake",
                "has the server too many clients, or is this a plain port?"};
    }
    const auto packed = static_cast<unsigned long>(code.value());
    const char* words = ERR_reason_error_string(packed);
    return alert_failure(ERR_GET_REASON(packed), words == nullptr ? "no reason given" : words, asked_for_certificate_,
                         options_);
}

bool OpenSslSession::is_end(const std::error_code& code) const {
    if (code == asio::ssl::error::stream_truncated) return true;
#ifdef SSL_R_UNEXPECTED_EOF_WHILE_READING
    return code.category() == asio::error::get_ssl_category() &&
           ERR_GET_REASON(static_cast<unsigned long>(code.value())) == SSL_R_UNEXPECTED_EOF_WHILE_READING;
#else
    return false;
#endif
}

class OpenSslContext : public TlsContext {
public:
    explicit OpenSslContext(const domain::TlsOptions& options)
        : options_(options), context_(asio::ssl::context::tls_client) {}

    support::Result<void> load();
    std::unique_ptr<TlsSession> start(Socket& socket, const std::string& server_name) override {
        return std::make_unique<OpenSslSession>(socket, context_, server_name, options_);
    }

private:
    support::Result<void> cannot_use(const char* option, const std::string& file, const std::string& words) const;
    support::Result<void> readable(const char* option, const std::string& file) const;
    support::Result<void> load_authorities(SSL_CTX* context) const;
    support::Result<void> load_identity(SSL_CTX* context) const;

    domain::TlsOptions options_;
    asio::ssl::context context_;
};

support::Result<void> OpenSslContext::cannot_use(const char* option, const std::string& file,
                                                 const std::string& words) const {
    return support::failure(ExitCode::configuration, fmt::format("{}{} {}: {}", options_.keys, option, file, words));
}

// OpenSSL's own words for a missing file do not name it.
support::Result<void> OpenSslContext::readable(const char* option, const std::string& file) const {
    errno = 0;
    std::ifstream stream(file, std::ios::binary);
    const bool good = stream.good() && stream.peek() != std::ifstream::traits_type::eof();
    const int error = errno;
    if (good) return {};
    return cannot_use(option, file, error == 0 ? "the file is empty" : std::strerror(error));
}

support::Result<void> OpenSslContext::load() {
    SSL_CTX* const context = context_.native_handle();
    ERR_clear_error();
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    // OPENSSL_CONF may allow suites without encryption or without a certificate; from level 1 on no list can.
    SSL_CTX_set_security_level(context, std::max(SSL_CTX_get_security_level(context), 1));
    // Never ask for a pass phrase on the terminal: an encrypted key is an error.
    SSL_CTX_set_default_passwd_cb(context, [](char*, int, int, void*) { return 0; });
    if (auto loaded = load_authorities(context); !loaded) return loaded;
    return load_identity(context);
}

support::Result<void> OpenSslContext::load_authorities(SSL_CTX* context) const {
    const std::string& file = options_.ca_file;
    if (options_.insecure && file.empty()) return {};
    if (file.empty()) {
        if (SSL_CTX_set_default_verify_paths(context) == 1) return {};
        return support::failure(ExitCode::configuration, "tls: the system's certificate authorities cannot be read",
                                fmt::format("set {}ca_file", options_.keys));
    }
    if (auto good = readable("ca_file", file); !good) return good;
    if (SSL_CTX_load_verify_locations(context, file.c_str(), nullptr) == 1) return {};
    return cannot_use("ca_file", file, "no certificate in PEM format: " + library_words());
}

support::Result<void> OpenSslContext::load_identity(SSL_CTX* context) const {
    const std::string& certificate = options_.cert_file;
    const std::string& key = options_.key_file;
    if (certificate.empty() && key.empty()) return {};
    if (certificate.empty() || key.empty()) {
        return support::failure(ExitCode::configuration, "tls: a client certificate needs both cert_file and key_file");
    }
    if (auto good = readable("cert_file", certificate); !good) return good;
    if (auto good = readable("key_file", key); !good) return good;
    if (SSL_CTX_use_certificate_chain_file(context, certificate.c_str()) != 1) {
        return cannot_use("cert_file", certificate, "no client certificate in PEM format: " + library_words());
    }
    if (SSL_CTX_use_PrivateKey_file(context, key.c_str(), SSL_FILETYPE_PEM) != 1) {
        const std::string words = library_words();
        return cannot_use(
            "key_file", key,
            "no usable key for this client certificate (it must be PEM, without a pass phrase): " + words);
    }
    return {};
}

}  // namespace

bool tls_built_in() { return true; }

support::Result<std::unique_ptr<TlsContext>> make_tls_context(const domain::TlsOptions& options) {
    auto context = std::make_unique<OpenSslContext>(options);
    if (auto loaded = context->load(); !loaded) return tl::make_unexpected(std::move(loaded.error()));
    return std::unique_ptr<TlsContext>(std::move(context));
}

}  // namespace ratectl::redis

#else

namespace ratectl::redis {

bool tls_built_in() { return false; }

support::Result<std::unique_ptr<TlsContext>> make_tls_context(const domain::TlsOptions&) {
    return support::failure(support::ExitCode::configuration,
                            "this ratectl was built without TLS and cannot talk to a rediss:// server");
}

}  // namespace ratectl::redis

#endif
