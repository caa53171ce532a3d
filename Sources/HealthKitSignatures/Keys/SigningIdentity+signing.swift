public import Foundation
public import HealthKit
@_spi(CMS) import X509

extension SigningIdentity {
  /// The value for `HKMetadataKeyDigitalSignature`: a CMS SignedData with the record in it, in DER and
  /// base64, some 1000 characters.
  ///
  /// - Parameter time: when the record was signed, as a signed attribute. Nothing verifies it: it is what the
  ///   signer's clock said, between 1950 and 2049.
  public func signature(of record: SignedRecord, at time: Date? = nil) throws(SignatureError) -> String {
    let content = try record.derEncoded
    do {
      let message = try CMS.sign(
        content, signatureAlgorithm: .ecdsaWithSHA256, certificate: certificate,
        privateKey: Certificate.PrivateKey(privateKey), signingTime: time, detached: false)
      return Data(message).base64EncodedString()
    } catch {
      throw SignatureError(.signingFailed, "the record cannot be signed; is the time within 1950 to 2049?")
    }
  }

  /// The sample with its signature: a new object with its own UUID, and otherwise the same, device and other
  /// metadata included. A signature that the sample had is replaced.
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

  /// As for a quantity sample.
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

  /// A sample that came from a newer version's store may hold what this one would not let in.
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
