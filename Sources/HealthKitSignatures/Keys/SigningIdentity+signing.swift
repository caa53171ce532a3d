import COpenSSL
public import Foundation
public import HealthKit

extension SigningIdentity {
  /// Returns the value for `HKMetadataKeyDigitalSignature`: a CMS SignedData that contains the record, in DER
  /// and base64. It has about 1,000 characters.
  ///
  /// - Parameter time: The signing time to include and protect. It must be in the years 1 to 9999.
  ///   Verification ignores it, because it only shows what the signer's clock said.
  /// - Throws: `signingFailed`.
  public func signature(of record: SignedRecord, at time: Date? = nil) throws(SignatureError) -> String {
    guard let message = signedMessage(record.derEncoded, at: time) else {
      throw SignatureError(
        .signingFailed,
        "the record cannot be signed; is the time within the years 1 to 9999? (libcrypto says: "
          + "\(Libcrypto.reason))"
      )
    }
    return Data(message).base64EncodedString()
  }

  /// Returns the CMS message in DER, or `nil` after an error.
  private func signedMessage(_ content: [UInt8], at time: Date?) -> [UInt8]? {
    // A signing time is a signed attribute. Without one, no attributes are needed, and the signature covers
    // the content directly.
    let attributes = time == nil ? CMS_NOATTR : CMS_NOSMIMECAP
    let flags = UInt32(CMS_BINARY | CMS_PARTIAL | attributes)
    return withCertificate { certificate in
      privateKey.withObject { key in
        Libcrypto.withBuffer(content) { content in
          let message = CMS_sign(nil, nil, nil, nil, flags)
          defer { CMS_ContentInfo_free(message) }
          guard let message, let signer = CMS_add1_signer(message, certificate, key, EVP_sha256(), flags),
            time.map({ Self.add($0, to: signer) }) ?? true, CMS_final(message, content, nil, flags) == 1
          else { return nil }
          return Libcrypto.bytes { i2d_CMS_ContentInfo(message, $0) }
        }
      }
    }
  }

  /// Adds a signing time (RFC 5652 §11.3).
  private static func add(_ time: Date, to signer: OpaquePointer) -> Bool {
    guard let instant = UTCInstant(time), let time = ASN1_TIME_set(nil, instant.wholeSeconds) else {
      return false
    }
    defer { ASN1_TIME_free(time) }
    return CMS_signed_add1_attr_by_NID(
      signer, NID_pkcs9_signingTime, ASN1_STRING_type(time), time, -1) == 1
  }

  /// Returns a copy of the sample with the signature in its metadata. The copy has a new UUID. An existing
  /// signature is replaced.
  ///
  /// ```swift
  /// let identity = try SigningIdentity(privateKeyPEM: key, certificatePEM: certificate)
  /// try await store.save(try identity.signed(sample))
  /// ```
  ///
  /// - Throws: `signingFailed`; `unsignableRecord`.
  public func signed(_ sample: HKQuantitySample, at time: Date? = nil) throws(SignatureError)
    -> HKQuantitySample
  {
    let metadata = metadata(of: sample, with: try signature(of: SignedRecord(sample), at: time))
    return try Self.valid { () throws(HKValidationError) in
      try HKQuantitySample.validated(
        type: sample.quantityType, quantity: sample.quantity, start: sample.startDate, end: sample.endDate,
        device: sample.device, metadata: metadata)
    }
  }

  /// Returns a copy of the sample with the signature in its metadata, like ``signed(_:at:)`` for quantities.
  public func signed(_ sample: HKCategorySample, at time: Date? = nil) throws(SignatureError)
    -> HKCategorySample
  {
    let metadata = metadata(of: sample, with: try signature(of: SignedRecord(sample), at: time))
    return try Self.valid { () throws(HKValidationError) in
      try HKCategorySample.validated(
        type: sample.categoryType, value: sample.value, start: sample.startDate, end: sample.endDate,
        device: sample.device, metadata: metadata)
    }
  }

  private func metadata(of sample: HKSample, with signature: String) -> [String: Any] {
    var metadata = sample.metadata ?? [:]
    metadata[HKMetadataKeyDigitalSignature] = signature
    return metadata
  }

  /// Creates a sample and converts validation errors, which occur if a newer version saved the sample with
  /// values that this version does not allow.
  private static func valid<Sample>(_ make: () throws(HKValidationError) -> Sample) throws(SignatureError)
    -> Sample
  {
    do {
      return try make()
    } catch {
      throw SignatureError(.unsignableRecord, error.description)
    }
  }
}
