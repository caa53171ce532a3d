public import Foundation
import HealthStorage

/// What remains of an object that was deleted: its UUID, and of its metadata the sync identifier and version.
// @unchecked: as for HKObject.
open class HKDeletedObject: NSObject, NSSecureCoding, @unchecked Sendable {
  public let uuid: UUID
  private let retained: ObjectMetadata?

  /// - Parameter metadata: of the object that was deleted.
  init(uuid: UUID, metadata: ObjectMetadata?) {
    self.uuid = uuid
    retained = Self.retained(of: metadata)
  }

  @available(*, unavailable)
  public override init() {
    uuid = UUID()
    retained = nil
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
    coder.encode(uuid as NSUUID, forKey: ArchiveKey.uuid[0])
    coder.encodeMetadata(retained, forKey: ArchiveKey.metadata[0])
  }

  public required init?(coder: NSCoder) {
    guard let uuid = ArchiveKey.uuid.lazy.compactMap({ coder.uuid(forKey: $0) }).first else { return nil }
    self.uuid = uuid
    let metadata = ArchiveKey.metadata.lazy.compactMap { coder.metadata(forKey: $0)?.value }.first
    retained = Self.retained(of: metadata)
  }

  /// Apple's keys are not published: the likely ones are tried in turn. Objects are archived under the first.
  private enum ArchiveKey {
    static let uuid = ["UUID", "uuid", "UUIDKey", "_UUID", "identifier"]
    static let metadata = ["metadata", "Metadata", "MetadataKey", "_metadata"]
  }
}
