/// The type of records that come from a health institution. Programs read them and cannot save them.
// @unchecked: as for HKObjectType.
public final class HKClinicalType: HKSampleType, @unchecked Sendable {
  package override var isShareable: Bool { false }
}

extension HKInitializable where Self: HKClinicalType {
  /// Traps on an identifier that is not in the table; `clinicalType(forIdentifier:)` answers nil instead.
  public init(_ identifier: HKClinicalTypeIdentifier) {
    self.init(instance: ObjectTypes.type(identifier.rawValue, as: HKClinicalType.self))
  }
}
