import COpenSSL
public import Foundation

/// The private key of a measuring device and the certificate that names the device.
///
/// Each signature contains the certificate, for programs that take the public key from it.
/// ``SignatureVerifier`` ignores the certificate and uses the public key that its caller provides.
public struct SigningIdentity: Sendable {
  let privateKey: P256PrivateKey
  /// The X.509 certificate in DER.
  private let certificateBytes: [UInt8]

  public var publicKey: P256PublicKey { privateKey.publicKey }

  /// Creates an identity from a key and its certificate.
  ///
  /// - Throws: `unreadableCertificate`, or `certificateOfOtherKey`.
  public init(privateKey: P256PrivateKey, certificatePEM: String) throws(SignatureError) {
    let file = PEMFile(certificatePEM)
    guard let bytes = file.first("CERTIFICATE") else {
      throw SignatureError(
        .unreadableCertificate, "the PEM file has no certificate (libcrypto says: \(file.end))")
    }
    try self.init(privateKey: privateKey, certificate: bytes)
  }

  /// Creates an identity from two PEM files.
  ///
  /// - Parameter privateKeyPEM: An unencrypted key in SEC 1 or PKCS #8 format.
  /// - Throws: `unreadableKey`, `unreadableCertificate`, or `certificateOfOtherKey`.
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
      throw SignatureError(
        .unreadableCertificate, "the certificate cannot be read (libcrypto says: \(Libcrypto.reason))")
    }
    guard isOfKey else {
      throw SignatureError(.certificateOfOtherKey, "the certificate does not belong to the private key")
    }
  }

  /// The certificate in PEM format, for verification with other tools.
  public var certificatePEM: String { PEMFile.text("CERTIFICATE", certificateBytes) }

  /// Calls a closure with the `X509`, or with `nil` if it cannot be read.
  func withCertificate<Result>(_ body: (OpaquePointer?) -> Result) -> Result {
    let certificate = Libcrypto.object(certificateBytes, { d2i_X509(nil, $0, $1) }, free: X509_free)
    defer { X509_free(certificate) }
    return body(certificate)
  }
}

// MARK: - Self-signed certificates

extension SigningIdentity {
  /// Creates an identity with a self-signed certificate. That is enough if the public key is published
  /// elsewhere, as device manufacturers do.
  ///
  /// - Parameters:
  ///   - privateKey: The key, or `nil` to create one.
  ///   - commonName: The name in the certificate, such as the serial number of a device: 1 to 64 characters.
  ///   - start: The first time at which the certificate is valid. Both times are truncated to seconds.
  ///   - end: The last time at which the certificate is valid.
  /// - Throws: `unreadableCertificate` for a name or times that a certificate cannot contain.
  public static func selfSigned(
    _ privateKey: P256PrivateKey? = nil, commonName: String, validFrom start: Date, to end: Date
  ) throws(SignatureError) -> SigningIdentity {
    let privateKey = if let privateKey { privateKey } else { try P256PrivateKey() }
    let bytes = privateKey.withObject { certificate(signedWith: $0, commonName, start, end) }
    guard let bytes else {
      throw SignatureError(
        .unreadableCertificate,
        "a certificate with this name and these dates cannot be created (libcrypto says: \(Libcrypto.reason))"
      )
    }
    return try SigningIdentity(privateKey: privateKey, certificate: bytes)
  }

  /// Returns a certificate in DER, or `nil` after an error.
  private static func certificate(
    signedWith key: OpaquePointer?, _ commonName: String, _ start: Date, _ end: Date
  ) -> [UInt8]? {
    ERR_clear_error()
    let certificate = X509_new()
    defer { X509_free(certificate) }
    // A random positive number. It is large enough that no two certificates get the same one.
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
      // A key identifier lets a signature refer to the key instead of the certificate.
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
