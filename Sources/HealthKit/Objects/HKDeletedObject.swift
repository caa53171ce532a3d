public import Foundation
import HealthFormats
import HealthStorage

/// A deleted object. Only its UUID, and the sync identifier and version from its metadata, are known.
// @unchecked: HKObject is open. All state is `let`, Sendable or set before the object is shared.
open class HKDeletedObject: NSObject, HKArchivable, @unchecked Sendable {
  public let uuid: UUID
  private let retained: ObjectMetadata?

  /// Creates a deleted object from the UUID and metadata of the original.
  /// - Parameter metadata: The metadata of the deleted object.
  init(uuid: UUID, metadata: ObjectMetadata?) {
    self.uuid = uuid
    retained = Self.retained(of: metadata)
  }

  /// The sync identifier and version; nil if the object had none.
  public var metadata: [String: Any]? { retained?.dictionary }

  private static func retained(of metadata: ObjectMetadata?) -> ObjectMetadata? {
    let keys = [HKMetadataKeySyncIdentifier, HKMetadataKeySyncVersion]
    let kept = metadata?.encoded.values.filter { keys.contains($0.key) } ?? [:]
    return kept.isEmpty ? nil : try? ObjectMetadata(checking: kept)
  }

  open override func isEqual(_ object: Any?) -> Bool { (object as? HKDeletedObject)?.uuid == uuid }
  open override var hash: Int { uuid.hashValue }

  // MARK: - NSSecureCoding

  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encode(uuid as NSUUID, forKey: ArchiveKey.uuid)
    coder.encodeMetadata(retained, forKey: ArchiveKey.metadata)
  }

  /// Decodes a deleted object. Apple does not publish the keys of its archives, so this uses the only UUID
  /// and the only dictionary in the archive.
  public required init?(coder: NSCoder) {
    let archive = coder as? SecureUnarchiver
    let uuidKey = archive?.keys(ofClass: NSUUID.self).first ?? ArchiveKey.uuid
    let metadataKey = archive?.keys(ofClass: NSDictionary.self).first ?? ArchiveKey.metadata
    guard let uuid = coder.uuid(forKey: uuidKey), let metadata = coder.metadata(forKey: metadataKey) else {
      return nil
    }
    self.uuid = uuid
    retained = Self.retained(of: metadata.object)
  }

  private enum ArchiveKey {
    static let uuid = "UUID"
    static let metadata = "metadata"
  }
}
