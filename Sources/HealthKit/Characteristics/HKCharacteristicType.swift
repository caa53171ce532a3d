/// The type of something that does not change from day to day, such as a blood type. Only the user enters it.
// @unchecked: as for HKObjectType.
public final class HKCharacteristicType: HKObjectType, @unchecked Sendable {}

extension HKInitializable where Self: HKCharacteristicType {
  /// Traps on an identifier that is not in the table; `characteristicType(forIdentifier:)` answers nil
  /// instead.
  public init(_ identifier: HKCharacteristicTypeIdentifier) {
    self.init(instance: ObjectTypes.type(identifier.rawValue, as: HKCharacteristicType.self))
  }
}
