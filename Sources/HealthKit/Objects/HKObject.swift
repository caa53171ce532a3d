public import Foundation
import HealthStorage

/// A piece of health data. Immutable. Objects are equal if their UUIDs are equal.
// @unchecked: the class is open, like Apple's. All state, also of subclasses, is `let`, Sendable or set
// before the object is shared.
open class HKObject: NSObject, HKArchivable, HKInitializable, @unchecked Sendable {
  public let uuid: UUID
  /// The device that measured the data, as stated by the creator of the object.
  public let device: HKDevice?
  package let objectMetadata: ObjectMetadata?
  // The store sets this once, before it returns the object to the caller.
  private final var storedRevision: HKSourceRevision?

  init(_ origin: ObjectOrigin) {
    uuid = origin.uuid
    device = origin.device
    objectMetadata = origin.metadata
    storedRevision = origin.revision
  }

  /// Sets the source revision of an object that the store decoded from an archive. Must be called before
  /// other threads can access the object.
  func stamp(_ revision: HKSourceRevision) {
    storedRevision = revision
  }

  /// The UUID, device, metadata and source revision, for creating another object with the same values.
  var origin: ObjectOrigin {
    ObjectOrigin(uuid: uuid, device: device, metadata: objectMetadata, revision: storedRevision)
  }

  /// The source revision that saved the object. Only objects returned by a query have one; for others, the
  /// name and bundle identifier of the source are empty.
  public var sourceRevision: HKSourceRevision { storedRevision ?? .unknown }

  /// The source that saved the object.
  @available(*, deprecated, message: "use sourceRevision")
  public var source: HKSource { sourceRevision.source }

  /// The metadata. Values are String, NSNumber, Date or HKQuantity.
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

/// The properties that all objects have: UUID, device, metadata and source.
struct ObjectOrigin: Sendable {
  var uuid = UUID.timeOrdered()
  var device: HKDevice?
  var metadata: ObjectMetadata?
  /// The source revision; nil if the object does not come from a store.
  var revision: HKSourceRevision?
}

extension ObjectOrigin {
  /// Creates the properties of a new object, with a new UUID.
  init(device: HKDevice?, metadata: [String: Any]?) throws(HKValidationError) {
    self.init(device: device, metadata: try ObjectMetadata.validated(metadata))
  }
}

/// Lets an initializer return an existing object or an instance of a subclass, as Apple's initializers do.
/// `HKUnit(from:)` returns the same unit for the same string, and `HKQuantitySample(type:…)` returns a
/// discrete or a cumulative sample. Initializers of Swift classes cannot do this, but initializers in
/// protocol extensions can.
///
/// Do not adopt this protocol in other modules. (Not part of Apple's framework.)
public protocol HKInitializable {}

extension HKInitializable {
  /// Assigns `instance` to self. Traps if `instance` is not of the requested class, for example for
  /// `HKCumulativeQuantitySeriesSample`: this module never creates instances of that class.
  init(instance: some HKInitializable) {
    guard let same = instance as? Self else {
      HKValidationError(
        .invalidArgument, "a \(type(of: instance)) was created instead of a \(Self.self)"
      )
      .raise()
    }
    self = same
  }
}
