import COpenSSL

/// A P-256 public key, for verifying signatures.
public struct P256PublicKey: Hashable, Sendable {
  /// The key as a SubjectPublicKeyInfo (RFC 5480) in DER. The point on the curve is uncompressed.
  public let derRepresentation: [UInt8]

  /// Creates a key from its DER encoding.
  ///
  /// - Throws: `unreadableKey` for anything other than a P-256 key.
  public init(derRepresentation: some Collection<UInt8>) throws(SignatureError) {
    let key = Libcrypto.object(Array(derRepresentation), { d2i_PUBKEY(nil, $0, $1) }, free: EVP_PKEY_free)
    defer { EVP_PKEY_free(key) }
    guard let key else {
      throw SignatureError(
        .unreadableKey, "the bytes are not a public key in DER format (libcrypto says: \(Libcrypto.reason))")
    }
    try self.init(key)
  }

  /// Creates a key from a PEM file.
  ///
  /// - Parameter pem: A public key, or a certificate that contains it.
  /// - Throws: `unreadableKey`.
  public init(pemRepresentation pem: String) throws(SignatureError) {
    let file = PEMFile(pem)
    if let key = file.first("PUBLIC KEY") {
      try self.init(derRepresentation: key)
    } else if let certificate = file.first("CERTIFICATE") {
      let certificate = Libcrypto.object(certificate, { d2i_X509(nil, $0, $1) }, free: X509_free)
      defer { X509_free(certificate) }
      guard let key = X509_get0_pubkey(certificate) else {
        throw SignatureError(
          .unreadableKey,
          "the PEM file's certificate has no readable public key (libcrypto says: \(Libcrypto.reason))")
      }
      try self.init(key)
    } else {
      throw SignatureError(
        .unreadableKey, "the PEM file has no public key or certificate (libcrypto says: \(file.end))")
    }
  }

  /// Creates a key from libcrypto's representation.
  ///
  /// - Parameter key: An `EVP_PKEY`, which the caller still owns.
  init(_ key: OpaquePointer) throws(SignatureError) {
    var curve = [CChar](repeating: 0, count: 80)
    guard EVP_PKEY_get_group_name(key, &curve, curve.count, nil) == 1,
      curve.prefix(while: { $0 != 0 }).elementsEqual(SN_X9_62_prime256v1.utf8.map(CChar.init)),
      // Always use the same encoding, so that equal keys have equal bytes.
      EVP_PKEY_set_utf8_string_param(key, OSSL_PKEY_PARAM_EC_POINT_CONVERSION_FORMAT, "uncompressed") == 1,
      let bytes = Libcrypto.bytes({ i2d_PUBKEY(key, $0) })
    else {
      throw SignatureError(.unreadableKey, "the key is not a P-256 key")
    }
    derRepresentation = bytes
  }

  /// The key in PEM format.
  public var pemRepresentation: String { PEMFile.text("PUBLIC KEY", derRepresentation) }

  /// Calls a closure with the `EVP_PKEY`.
  func withObject<Result>(_ body: (OpaquePointer?) -> Result) -> Result {
    let key = Libcrypto.object(derRepresentation, { d2i_PUBKEY(nil, $0, $1) }, free: EVP_PKEY_free)
    defer { EVP_PKEY_free(key) }
    return body(key)
  }
}

/// A P-256 private key, for signing records.
public struct P256PrivateKey: Sendable {
  /// The public key for verifying this key's signatures.
  public let publicKey: P256PublicKey
  /// The key in SEC 1 format (RFC 5915), in DER.
  private let bytes: [UInt8]

  /// Creates a random key.
  ///
  /// - Throws: `signingFailed` if libcrypto cannot generate random numbers.
  public init() throws(SignatureError) {
    ERR_clear_error()
    let key = copenssl_p256_key()
    defer { EVP_PKEY_free(key) }
    guard let key else {
      throw SignatureError(.signingFailed, "a key cannot be created (libcrypto says: \(Libcrypto.reason))")
    }
    try self.init(key)
  }

  /// Creates a key from a PEM file.
  ///
  /// - Parameter pem: An unencrypted key in SEC 1 or PKCS #8 format.
  /// - Throws: `unreadableKey`.
  public init(pemRepresentation pem: String) throws(SignatureError) {
    let file = PEMFile(pem)
    guard let bytes = file.first("PRIVATE KEY", "EC PRIVATE KEY") else {
      throw SignatureError(
        .unreadableKey, "the PEM file has no unencrypted private key (libcrypto says: \(file.end))")
    }
    let key = Libcrypto.object(bytes, { d2i_AutoPrivateKey(nil, $0, $1) }, free: EVP_PKEY_free)
    defer { EVP_PKEY_free(key) }
    guard let key else {
      throw SignatureError(
        .unreadableKey, "the private key cannot be read (libcrypto says: \(Libcrypto.reason))")
    }
    // Check that the file's public key belongs to its private key.
    let context = EVP_PKEY_CTX_new(key, nil)
    defer { EVP_PKEY_CTX_free(context) }
    guard EVP_PKEY_pairwise_check(context) == 1 else {
      throw SignatureError(
        .unreadableKey, "the public key in the PEM file does not belong to its private key")
    }
    try self.init(key)
  }

  private init(_ key: OpaquePointer) throws(SignatureError) {
    publicKey = try P256PublicKey(key)
    guard let bytes = Libcrypto.bytes({ i2d_PrivateKey(key, $0) }) else {
      throw SignatureError(
        .unreadableKey, "the private key cannot be encoded (libcrypto says: \(Libcrypto.reason))")
    }
    self.bytes = bytes
  }

  /// The unencrypted key in PEM format, as SEC 1 defines it.
  public var pemRepresentation: String { PEMFile.text("EC PRIVATE KEY", bytes) }

  /// Calls a closure with the `EVP_PKEY`.
  func withObject<Result>(_ body: (OpaquePointer?) -> Result) -> Result {
    let key = Libcrypto.object(bytes, { d2i_AutoPrivateKey(nil, $0, $1) }, free: EVP_PKEY_free)
    defer { EVP_PKEY_free(key) }
    return body(key)
  }
}

extension P256PrivateKey: CustomStringConvertible {
  /// A description without the key, so that it can be logged.
  public var description: String { "P-256 private key" }
}
