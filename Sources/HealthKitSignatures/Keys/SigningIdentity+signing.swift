public import Foundation
public import HealthKit
@_spi(CMS) import X509

extension SigningIdentity {
  /// The value for `HKMetadataKeyDigitalSignature`: a CMS SignedData with the record in it, in DER and base64, some 1000
  /// characters.
  ///
  /// - Parameter time: when the record was signed, as a signed attribute. Nothing verifies it: it is what the signer's clock
  ///   said, between 1950 and 2049.
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

  /// The sample with its signature: a new object with its own UUID, and otherwise the same, device and other metadata
  /// included. A signature that the sample had is replaced.
  public func signed(_ sample: HKQuantitySample, at time: Date? = nil) throws(SignatureError)
    -> HKQuantitySample
  {
    var metadata = sample.metadata ?? [:]
    metadata[HKMetadataKeyDigitalSignature] = try signature(of: SignedRecord(sample), at: time)
    do {
      return try HKQuantitySample.validated(
        type: sample.quantityType, quantity: sample.quantity, start: sample.startDate, end: sample.endDate,
        device: sample.device, metadata: metadata)
    } catch {
      throw SignatureError(.unsignableRecord, error.description)
    }
  }
}
