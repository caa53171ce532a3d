public import Foundation
import HealthStorage

/// A piece of health data. Immutable; equal if the UUIDs are.
// @unchecked: not final, but its state and that of its subclasses, all in this module, is `let` and Sendable.
public class HKObject: NSObject, @unchecked Sendable {
  public let uuid: UUID
  /// What measured, as the maker of the object stated it.
  public let device: HKDevice?
  let objectMetadata: ObjectMetadata?
  private let storedRevision: HKSourceRevision?

  init(uuid: UUID, device: HKDevice?, metadata: ObjectMetadata?, revision: HKSourceRevision?) {
    self.uuid = uuid
    self.device = device
    objectMetadata = metadata
    storedRevision = revision
  }

  /// Who saved the object. Means something only on an object that a query returned; until then it is this program.
  public var sourceRevision: HKSourceRevision {
    storedRevision ?? HKSourceRevision(source: .default(), version: nil)
  }

  /// Values are String, NSNumber, Date or HKQuantity.
  public var metadata: [String: Any]? { objectMetadata?.dictionary }

  public override func isEqual(_ object: Any?) -> Bool { (object as? HKObject)?.uuid == uuid }
  public override var hash: Int { uuid.hashValue }
}
