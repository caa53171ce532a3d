import Foundation
import HealthKit
import HealthKitSignatures

/// A simulated measuring device that signs its samples.
enum Device {
  static let identity: SigningIdentity = newIdentity()
  static let verifier = SignatureVerifier(publicKey: identity.publicKey)

  static func newIdentity() -> SigningIdentity {
    let start = Date(timeIntervalSince1970: 1_700_000_000)
    do {
      return try .selfSigned(commonName: "Test strap", validFrom: start, to: start + 20 * 365 * 86_400)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  static let start = Date(timeIntervalSince1970: 1_735_787_045.123456)

  static func sample(
    type: HKQuantityTypeIdentifier = .heartRate, value: Double = 72.5, unit: String = "count/min",
    start: Date = start, seconds: Double = 1.5, metadata: [String: Any]? = nil
  ) -> HKQuantitySample {
    HKQuantitySample(
      type: HKQuantityType(type), quantity: HKQuantity(unit: HKUnit(from: unit), doubleValue: value),
      start: start, end: start + seconds,
      device: HKDevice(
        name: "Strap", manufacturer: nil, model: nil, hardwareVersion: nil, firmwareVersion: "1.0",
        softwareVersion: nil, localIdentifier: nil, udiDeviceIdentifier: nil),
      metadata: metadata)
  }

  /// Returns the sample with the given signature in its metadata.
  static func sample(_ sample: HKQuantitySample, signature: String) -> HKQuantitySample {
    var metadata = sample.metadata ?? [:]
    metadata[HKMetadataKeyDigitalSignature] = signature
    return HKQuantitySample(
      type: sample.quantityType, quantity: sample.quantity, start: sample.startDate, end: sample.endDate,
      device: sample.device, metadata: metadata)
  }

  static func signature(of sample: HKQuantitySample, at time: Date? = nil) throws -> String {
    try identity.signature(of: SignedRecord(sample), at: time)
  }
}

extension SignatureVerdict {
  var code: SignatureError.Code? {
    if case .unverifiable(let error) = self { error.code } else { nil }
  }

  var fields: [RecordField]? {
    if case .altered(let alterations) = self { alterations.map(\.field) } else { nil }
  }
}
