public import Foundation

/// A clinical record that a health institution keeps about a person. Read-only.
// @unchecked: HKObject is open. All state is `let`, Sendable or set before the object is shared.
open class HKClinicalRecord: HKSample, NSCopying, @unchecked Sendable {
  public let clinicalType: HKClinicalType
  /// The name of the record for display.
  public let displayName: String
  /// The FHIR resource as sent by the institution.
  public let fhirResource: HKFHIRResource?

  init(
    _ type: HKClinicalType, displayName: String, _ resource: HKFHIRResource?, _ interval: SampleInterval,
    _ origin: ObjectOrigin
  ) {
    clinicalType = type
    self.displayName = displayName
    fhirResource = resource
    super.init(type, interval, origin)
  }

  /// Creates a record with the given UUID. Not public, because programs cannot create clinical records.
  package static func make(
    uuid: UUID, type: HKClinicalType, displayName: String, fhirResource: HKFHIRResource?, start: Date,
    end: Date, device: HKDevice?, metadata: ObjectMetadata?
  ) throws(HKValidationError) -> HKClinicalRecord {
    HKClinicalRecord(
      type, displayName: displayName, fhirResource, try SampleInterval(start: start, end: end, of: type),
      ObjectOrigin(uuid: uuid, device: device, metadata: metadata))
  }

  // MARK: - NSCopying, NSSecureCoding

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(displayName as NSString, forKey: ArchiveKey.displayName)
    coder.encode(fhirResource, forKey: ArchiveKey.fhirResource)
  }

  public required init?(coder: NSCoder) {
    guard let type = HKSample.type(from: coder) as? HKClinicalType,
      let displayName = coder.text(forKey: ArchiveKey.displayName)
    else { return nil }
    clinicalType = type
    self.displayName = displayName
    fhirResource = coder.object(HKFHIRResource.self, forKey: ArchiveKey.fhirResource)
    super.init(coder: coder)
  }

  private enum ArchiveKey {
    static let displayName = "displayName"
    static let fhirResource = "fhirResource"
  }
}

/// The type of records from health institutions. Programs can read them but not save them.
// @unchecked: HKObjectType is open. All state is `let` and Sendable.
public final class HKClinicalType: HKSampleType, @unchecked Sendable {
  package override var isShareable: Bool { false }
}

extension HKInitializable where Self: HKClinicalType {
  /// Creates the type with an identifier.
  ///
  /// Traps if the identifier is unknown; `clinicalType(forIdentifier:)` returns nil instead.
  public init(_ identifier: HKClinicalTypeIdentifier) {
    self.init(instance: ObjectTypes.type(identifier.rawValue, as: HKClinicalType.self))
  }
}
