public import Foundation

/// What a piece of health data is about. Two types are equal if their identifiers are.
// @unchecked: not final, but its state and that of its subclasses, all in this module, is `let` and Sendable.
public class HKObjectType: NSObject, @unchecked Sendable {
  /// The raw string of the identifier.
  public let identifier: String

  init(identifier: String) {
    self.identifier = identifier
  }

  /// nil for an identifier that is not in the table.
  public class func quantityType(forIdentifier identifier: HKQuantityTypeIdentifier) -> HKQuantityType? {
    QuantityTypeTraits.table[identifier.rawValue].map { HKQuantityType(identifier.rawValue, $0) }
  }

  /// nil for an identifier that no series type has.
  public class func seriesType(forIdentifier identifier: String) -> HKSeriesType? {
    identifier == HKDataTypeIdentifierHeartbeatSeries ? HKSeriesType.heartbeat() : nil
  }

  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? HKObjectType else { return false }
    return other === self || other.identifier == identifier
  }

  public override var hash: Int { identifier.hashValue }
  public override var description: String { identifier }
}
