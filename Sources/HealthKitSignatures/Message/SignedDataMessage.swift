import COpenSSL

/// A CMS message of type SignedData (RFC 5652 §3, §5.1) in DER that is not yet verified.
///
/// This type verifies each signer separately instead of calling `CMS_verify`. That function requires a
/// certificate for each signer, and accepts a message only if all signers are valid. Here one signature by
/// the caller's key is enough, certificates are optional, and the caller gets the exact error.
struct SignedDataMessage {
  /// Maximum number of signers, and of certificates to try. No device uses more, and without a limit a
  /// malicious message could take a long time to verify.
  static let mostSigners = 16

  private let bytes: [UInt8]
  /// The signed content, or `nil` for a detached signature.
  let content: [UInt8]?

  init(derEncoded bytes: [UInt8]) throws(SignatureError) {
    self.bytes = bytes
    let message = Self.object(bytes)
    defer { CMS_ContentInfo_free(message) }
    guard let message else {
      throw SignatureError(
        .notSignedData, "not a SignedData message in DER (libcrypto says: \(Libcrypto.reason))")
    }
    guard OBJ_obj2nid(CMS_get0_type(message)) == NID_pkcs7_signed else {
      throw SignatureError(.notSignedData, "the CMS message is not of the type SignedData")
    }
    // libcrypto also reads BER, but writes DER. Encode the message again to check that it was DER.
    guard Libcrypto.bytes({ i2d_CMS_ContentInfo(message, $0) }) == bytes else {
      throw SignatureError(
        .notSignedData, "not a SignedData message in DER (it is in BER, or a set is not sorted)")
    }
    guard Self.hasKnownVersions(bytes) else {
      throw SignatureError(.notSignedData, "the SignedData message has an unknown version")
    }
    let signers = Int(OPENSSL_sk_num(CMS_get0_SignerInfos(message)))
    guard (1...Self.mostSigners).contains(signers) else {
      throw SignatureError(
        .notSignedData, signers > 0 ? "the message has too many signers" : "the message has no signer")
    }
    content = CMS_get0_content(message)?.pointee.map { Array(Libcrypto.bytes(of: $0)) }
  }

  /// Returns a `CMS_ContentInfo`, which the caller frees.
  private static func object(_ bytes: [UInt8]) -> OpaquePointer? {
    Libcrypto.object(bytes, { d2i_CMS_ContentInfo(nil, $0, $1) }, free: CMS_ContentInfo_free)
  }

  /// Checks the version numbers of the message and its signers (RFC 5652 §5.1, §5.3). libcrypto does not do
  /// that.
  ///
  /// - Parameter bytes: A SignedData message in DER.
  private static func hasKnownVersions(_ bytes: [UInt8]) -> Bool {
    var contentInfo = DERReader.content(bytes[...])
    _ = contentInfo.next()
    var signedData = DERReader.content(DERReader.content(contentInfo.rest).rest)
    guard let version = signedData.next(), [[1], [3], [4], [5]].contains(version.content) else {
      return false
    }
    var signers = DERReader([])
    while let element = signedData.next() { signers = DERReader(element.content) }
    while let signer = signers.next() {
      var fields = DERReader(signer.content)
      guard let version = fields.next(), [[1], [3]].contains(version.content) else { return false }
    }
    return true
  }
}

// MARK: - Verification

extension SignedDataMessage {
  /// Checks that a key signed the given content.
  ///
  /// - Throws: The first signer's error, if no signer used this key for the content.
  func verify(_ content: [UInt8], with key: P256PublicKey) throws(SignatureError) {
    guard let error = error(verifying: content, with: key) else { return }
    // Find out whether another key signed the record, or whether the record was altered. The certificates in
    // the message are used only to choose the error; they do not make a signature valid.
    if error.code == .signatureMismatch,
      certificateKeys.contains(where: { $0 != key && self.error(verifying: content, with: $0) == nil })
    {
      throw SignatureError(
        .otherKey, "the message is signed with the key of its own certificate, not with the known key")
    }
    throw error
  }

  /// Returns the first signer's error, or `nil` if one of the signers used this key for the content.
  private func error(verifying content: [UInt8], with key: P256PublicKey) -> SignatureError? {
    // Decode the message again for each key, because libcrypto stores the result of the verification in it.
    let message = Self.object(bytes)
    defer { CMS_ContentInfo_free(message) }
    let signers = CMS_get0_SignerInfos(message)
    var first: SignatureError?
    for index in 0..<max(0, OPENSSL_sk_num(signers)) {
      guard let signer = OPENSSL_sk_value(signers, index).map(OpaquePointer.init) else { continue }
      do throws(SignatureError) {
        try Signer(info: signer).verify(content, of: CMS_get0_eContentType(message), with: key)
        return nil
      } catch {
        first = first ?? error
      }
    }
    return first ?? SignatureError(.notSignedData, "no signer")
  }

  /// The P-256 keys of the certificates that the message contains.
  private var certificateKeys: [P256PublicKey] {
    let message = Self.object(bytes)
    defer { CMS_ContentInfo_free(message) }
    let certificates = CMS_get1_certs(message)
    defer { OPENSSL_sk_pop_free(certificates) { X509_free(OpaquePointer($0)) } }
    let count = min(OPENSSL_sk_num(certificates), Int32(Self.mostSigners))
    return (0..<max(0, count)).compactMap { index in
      guard let certificate = OPENSSL_sk_value(certificates, index),
        let key = X509_get0_pubkey(OpaquePointer(certificate))
      else { return nil }
      return try? P256PublicKey(key)
    }
  }
}

/// A signer of a message (RFC 5652 §5.3). The identity that it claims is ignored, because the caller provides
/// the key.
private struct Signer {
  /// The `CMS_SignerInfo`, which belongs to the message.
  let info: OpaquePointer

  /// Verifies this signer's signature of the content.
  ///
  /// - Parameter type: The type of the content as an `ASN1_OBJECT`.
  func verify(_ content: [UInt8], of type: OpaquePointer?, with key: P256PublicKey) throws(SignatureError) {
    try checkAlgorithms()
    // If there are signed attributes, the signature covers them, and one of them contains the digest of the
    // content. An attacker cannot pass off the attributes as a record: an attribute begins with an object
    // identifier, and an entry of a record with a text.
    guard CMS_signed_get_attr_count(info) >= 0 else {
      guard OBJ_obj2nid(type) == NID_pkcs7_data else {
        throw SignatureError(
          .notSignedData, "the message has content other than id-data, but no signed attributes")
      }
      guard key.withObject({ isSignature(of: content, with: $0) }) else { throw Self.mismatch }
      return
    }
    let signedType = try attribute(NID_pkcs9_contentType, V_ASN1_OBJECT)
    let signedDigest = try attribute(NID_pkcs9_messageDigest, V_ASN1_OCTET_STRING)
    guard key.withObject(isSignatureOfAttributes) else { throw Self.mismatch }
    guard OBJ_cmp(OpaquePointer(signedType), type) == 0 else {
      throw SignatureError(
        .digestMismatch, "the signed attributes have another content type than the message")
    }
    var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    guard EVP_Q_digest(nil, "SHA256", nil, content, content.count, &digest, nil) == 1,
      Libcrypto.bytes(of: signedDigest.assumingMemoryBound(to: ASN1_STRING.self)).elementsEqual(digest)
    else {
      throw SignatureError(.digestMismatch, "the signed digest does not match the content of the message")
    }
  }

  private static let mismatch = SignatureError(
    .signatureMismatch, "the signature was not made with the known key for this content")

  // MARK: - Algorithms

  private func checkAlgorithms() throws(SignatureError) {
    var digest: UnsafeMutablePointer<X509_ALGOR>?
    var signature: UnsafeMutablePointer<X509_ALGOR>?
    CMS_SignerInfo_get0_algs(info, nil, nil, &digest, &signature)
    // RFC 5754 §2: the parameters should be absent, and NULL must be accepted.
    guard isAlgorithm(digest, NID_sha256, parameters: V_ASN1_UNDEF, V_ASN1_NULL) else {
      throw SignatureError(.unsupportedAlgorithm, "the message uses a digest other than SHA-256")
    }
    // RFC 5758 §3.2: the parameters are absent.
    guard isAlgorithm(signature, NID_ecdsa_with_SHA256, parameters: V_ASN1_UNDEF) else {
      throw SignatureError(
        .unsupportedAlgorithm, "the message uses a signature algorithm other than ECDSA with SHA-256")
    }
  }

  private func isAlgorithm(
    _ algorithm: UnsafeMutablePointer<X509_ALGOR>?, _ identifier: Int32, parameters: Int32...
  ) -> Bool {
    var object: OpaquePointer?
    var type = V_ASN1_UNDEF
    X509_ALGOR_get0(&object, &type, nil, algorithm)
    return OBJ_obj2nid(object) == identifier && parameters.contains(type)
  }

  // MARK: - Signatures

  /// Returns the value of an attribute. The attribute must occur once and have one value.
  private func attribute(_ identifier: Int32, _ type: Int32) throws(SignatureError) -> UnsafeMutableRawPointer
  {
    let exactlyOne: Int32 = -3
    guard let value = CMS_signed_get0_data_by_OBJ(info, OBJ_nid2obj(identifier), exactlyOne, type) else {
      let name = String(cString: OBJ_nid2sn(identifier))
      throw SignatureError(
        .notSignedData, "the signed attribute \(name) must occur exactly once, with one value")
    }
    return value
  }

  private func isSignature(of content: [UInt8], with key: OpaquePointer?) -> Bool {
    let context = EVP_MD_CTX_new()
    defer { EVP_MD_CTX_free(context) }
    guard let text = CMS_SignerInfo_get0_signature(info),
      EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1
    else { return false }
    let signature = Libcrypto.bytes(of: text)
    return EVP_DigestVerify(context, signature.baseAddress, signature.count, content, content.count) == 1
  }

  private func isSignatureOfAttributes(with key: OpaquePointer?) -> Bool {
    // libcrypto takes a signer's key from a certificate, so create one that contains only the key.
    let certificate = X509_new()
    defer { X509_free(certificate) }
    guard X509_set_pubkey(certificate, key) == 1 else { return false }
    CMS_SignerInfo_set1_signer_cert(info, certificate)
    return CMS_SignerInfo_verify(info) == 1
  }
}
