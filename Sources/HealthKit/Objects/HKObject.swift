public import Foundation
import HealthStorage

/// A piece of health data. Immutable; equal if the UUIDs are.
// @unchecked: open as Apple's class is, but its state and that of its subclasses is `let` and Sendable.
open class HKObject: NSObject, HKArchivable, HKInitializable, @unchecked Sendable {
  public let uuid: UUID
  /// What measured, as the maker of the object stated it.
  public let device: HKDevice?
  package let objectMetadata: ObjectMetadata?
  // Written once, by the store, before it hands the object out.
  private final var storedRevision: HKSourceRevision?

  init(_ origin: ObjectOrigin) {
    uuid = origin.uuid
    device = origin.device
    objectMetadata = origin.metadata
    storedRevision = origin.revision
  }

  /// Sets who saved an object that the store read from an archive. Call it before anybody else has the
  /// object.
  func stamp(_ revision: HKSourceRevision) {
    storedRevision = revision
  }

  /// Everything that another object of the same making would have.
  var origin: ObjectOrigin {
    ObjectOrigin(uuid: uuid, device: device, metadata: objectMetadata, revision: storedRevision)
  }

  /// Who saved the object. Means something only on an object that a query returned; until then its source has
  /// neither name nor bundle identifier.
  public var sourceRevision: HKSourceRevision { storedRevision ?? .unknown }

  /// Who saved the object.
  @available(*, deprecated, message: "use sourceRevision")
  public var source: HKSource { sourceRevision.source }

  /// Values are String, NSNumber, Date or HKQuantity.
  public var metadata: [String: Any]? { objectMetadata?.dictionary }

  open override func isEqual(_ object: Any?) -> Bool { (object as? HKObject)?.uuid == uuid }
  open override var hash: Int { uuid.hashValue }

  // MARK: - NSSecureCoding

  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encode(uuid as NSUUID, forKey: ArchiveKey.uuid)
    coder.encode(device, forKey: ArchiveKey.device)
    coder.encode(storedRevision, forKey: ArchiveKey.sourceRevision)
    coder.encodeMetadata(objectMetadata, forKey: ArchiveKey.metadata)
  }

  public required init?(coder: NSCoder) {
    guard let uuid = coder.uuid(forKey: ArchiveKey.uuid),
      let metadata = coder.metadata(forKey: ArchiveKey.metadata)
    else { return nil }
    self.uuid = uuid
    device = coder.object(HKDevice.self, forKey: ArchiveKey.device)
    storedRevision = coder.object(HKSourceRevision.self, forKey: ArchiveKey.sourceRevision)
    objectMetadata = metadata.object
  }

  private enum ArchiveKey {
    static let uuid = "UUID"
    static let device = "device"
    static let sourceRevision = "sourceRevision"
    static let metadata = "metadata"
  }
}
