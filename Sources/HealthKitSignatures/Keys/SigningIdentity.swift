import COpenSSL
public import Foundation

/// The key of a measuring device with the certificate that names it.
///
/// The certificate is part of each signature, for readers that look the key up by it. Our own verification
/// does not use it: it takes the key that its caller knows.
public struct SigningIdentity: Sendable {
  let privateKey: P256PrivateKey
  /// X.509, in DER.
  private let certificateBytes: [UInt8]

  public var publicKey: P256PublicKey { privateKey.publicKey }

  /// - Throws: `unreadableCertificate`, or `certificateOfOtherKey`.
  public init(privateKey: P256PrivateKey, certificatePEM: String) throws(SignatureError) {
    let file = PEMFile(certificatePEM)
    guard let bytes = file.first("CERTIFICATE") else {
      throw SignatureError(.unreadableCertificate, "no certificate in PEM (\(file.end))")
    }
    try self.init(privateKey: privateKey, certificate: bytes)
  }

  /// - Parameter privateKeyPEM: as SEC 1 or PKCS #8, not encrypted.
  /// - Throws: also `unreadableKey`.
  public init(privateKeyPEM: String, certificatePEM: String) throws(SignatureError) {
    try self.init(
      privateKey: try P256PrivateKey(pemRepresentation: privateKeyPEM), certificatePEM: certificatePEM)
  }

  private init(privateKey: P256PrivateKey, certificate bytes: [UInt8]) throws(SignatureError) {
    self.privateKey = privateKey
    certificateBytes = bytes
    let isOfKey = withCertificate { certificate in
      certificate.map { certificate in
        privateKey.withObject { EVP_PKEY_eq(X509_get0_pubkey(certificate), $0) == 1 }
      }
    }
    guard let isOfKey else {
      throw SignatureError(.unreadableCertificate, "the certificate cannot be read (\(Libcrypto.reason))")
    }
    guard isOfKey else {
      throw SignatureError(.certificateOfOtherKey, "the certificate is of another key")
    }
  }

  /// The certificate, for those who verify with other tools.
  public var certificatePEM: String { PEMFile.text("CERTIFICATE", certificateBytes) }

  /// Calls a closure with the `X509`; with `nil` if it cannot be read.
  func withCertificate<Result>(_ body: (OpaquePointer?) -> Result) -> Result {
    let certificate = Libcrypto.object(certificateBytes, { d2i_X509(nil, $0, $1) }, free: X509_free)
    defer { X509_free(certificate) }
    return body(certificate)
  }
}

// MARK: - Self-signed certificates

extension SigningIdentity {
  /// Creates an identity whose certificate is signed with its own key: enough if the public key is published
  /// by other means, as the makers of devices do.
  ///
  /// - Parameters:
  ///   - privateKey: if `nil`, a new one.
  ///   - commonName: what the certificate names, such as a device's serial number: 1 to 64 characters.
  ///   - start: the certificate's first instant; both are cut to the second.
  /// - Throws: `unreadableCertificate` for a name or dates that no certificate can hold.
  public static func selfSigned(
    _ privateKey: P256PrivateKey? = nil, commonName: String, validFrom start: Date, to end: Date
  ) throws(SignatureError) -> SigningIdentity {
    let privateKey = if let privateKey { privateKey } else { try P256PrivateKey() }
    let bytes = privateKey.withObject { certificate(signedWith: $0, commonName, start, end) }
    guard let bytes else {
      throw SignatureError(
        .unreadableCertificate,
        "no certificate can be made of this name and these dates (\(Libcrypto.reason))")
    }
    return try SigningIdentity(privateKey: privateKey, certificate: bytes)
  }

  /// A certificate in DER; `nil` on an error.
  private static func certificate(
    signedWith key: OpaquePointer?, _ commonName: String, _ start: Date, _ end: Date
  ) -> [UInt8]? {
    ERR_clear_error()
    let certificate = X509_new()
    defer { X509_free(certificate) }
    // Positive, and the same twice as good as never.
    let serialNumber = [0x40] + (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    let number = BN_bin2bn(serialNumber, Int32(serialNumber.count), nil)
    defer { BN_free(number) }
    let name = X509_get_subject_name(certificate)
    let nameBytes = Array(commonName.utf8)
    guard let certificate, X509_set_version(certificate, Int(X509_VERSION_3)) == 1,
      BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil,
      X509_NAME_add_entry_by_NID(
        name, NID_commonName, MBSTRING_UTF8, nameBytes, Int32(clamping: nameBytes.count), -1, 0) == 1,
      X509_set_issuer_name(certificate, name) == 1,
      set(X509_getm_notBefore(certificate), to: start), set(X509_getm_notAfter(certificate), to: end),
      X509_set_pubkey(certificate, key) == 1,
      add(NID_basic_constraints, "critical,CA:FALSE", to: certificate),
      add(NID_key_usage, "critical,digitalSignature", to: certificate),
      // Lets a signature name the key instead of its certificate.
      add(NID_subject_key_identifier, "hash", to: certificate),
      X509_sign(certificate, key, EVP_sha256()) > 0
    else { return nil }
    return Libcrypto.bytes { i2d_X509(certificate, $0) }
  }

  private static func add(_ identifier: Int32, _ value: String, to certificate: OpaquePointer) -> Bool {
    var context = X509V3_CTX()
    X509V3_set_ctx(&context, certificate, certificate, nil, nil, 0)
    let item = X509V3_EXT_conf_nid(nil, &context, identifier, value)
    defer { X509_EXTENSION_free(item) }
    return item != nil && X509_add_ext(certificate, item, -1) == 1
  }

  private static func set(_ time: UnsafeMutablePointer<ASN1_TIME>?, to date: Date) -> Bool {
    guard let instant = UTCInstant(date) else { return false }
    return ASN1_TIME_set(time, instant.wholeSeconds) != nil
  }
}
