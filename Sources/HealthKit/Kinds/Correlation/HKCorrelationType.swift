/// The type of samples that hold other samples, such as the two values of a blood pressure.
// @unchecked: as for HKObjectType.
public final class HKCorrelationType: HKSampleType, @unchecked Sendable {}

extension HKInitializable where Self: HKCorrelationType {
  /// Traps on an identifier that is not in the table; `correlationType(forIdentifier:)` answers nil instead.
  public init(_ identifier: HKCorrelationTypeIdentifier) {
    self.init(instance: ObjectTypes.type(identifier.rawValue, as: HKCorrelationType.self))
  }
}
