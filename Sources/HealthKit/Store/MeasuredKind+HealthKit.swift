package import HealthStorage

extension MeasuredKind {
  /// What a monitor measures, in HealthKit's words.
  /// - Parameters:
  ///   - unit: one that fits the type.
  ///   - monitor: the address from which identities follow.
  package convenience init(
    _ type: HKQuantityType, in unit: HKUnit, from source: HKSource, by device: HKDevice,
    metadata: ObjectMetadata, monitor: String
  ) {
    let revision = HKSourceRevision(source: source, version: nil).record
    self.init(
      type: type.identifier, unit: unit.unitString,
      provenance: Provenance(revision: revision, device: device.record), metadata: metadata.encoded,
      monitor: monitor)
  }
}
