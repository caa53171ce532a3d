public import Foundation
import HealthFormats
import HealthStorage
public import UniformTypeIdentifiers

/// A file attached to a stored object, such as a photograph of a prescription.
///
/// Read its bytes with an ``HKAttachmentDataReader``. Two attachments are equal if their identifiers are
/// equal.
// @unchecked: the class is open, like Apple's. All state is `let` and Sendable.
open class HKAttachment: NSObject, HKArchivable, NSCopying, @unchecked Sendable {
  let record: AttachmentRecord
  private let objectMetadata: ObjectMetadata?

  init(_ record: AttachmentRecord) {
    self.record = record
    objectMetadata = record.metadata.map { ObjectMetadata($0) }
  }

  public var identifier: UUID { record.uuid }
  /// The name given by the program that added the file.
  public var name: String { record.name }
  /// The type of the file.
  public var contentType: UTType { UTType(importedAs: record.contentType) }
  /// The size in bytes.
  public var size: Int { record.size }
  /// The time at which the file was added.
  public var creationDate: Date { Microseconds.date(record.created) }
  /// The metadata, or nil if the file has none. Values are String, NSNumber or Date.
  public var metadata: [String: Any]? { objectMetadata?.dictionary }

  open override func isEqual(_ object: Any?) -> Bool { (object as? HKAttachment)?.identifier == identifier }
  open override var hash: Int { identifier.hashValue }
  open override var description: String { "\(record.contentType) \(identifier) (\(size) bytes)" }

  // MARK: - NSCopying, NSSecureCoding

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encode(identifier as NSUUID, forKey: ArchiveKey.identifier)
    coder.encode(name as NSString, forKey: ArchiveKey.name)
    coder.encode(record.contentType as NSString, forKey: ArchiveKey.contentType)
    coder.encode(size, forKey: ArchiveKey.size)
    coder.encode(creationDate as NSDate, forKey: ArchiveKey.creationDate)
    coder.encodeMetadata(objectMetadata, forKey: ArchiveKey.metadata)
  }

  public required init?(coder: NSCoder) {
    guard let identifier = coder.uuid(forKey: ArchiveKey.identifier),
      let name = coder.text(forKey: ArchiveKey.name),
      let contentType = coder.text(forKey: ArchiveKey.contentType),
      let size = coder.integer(forKey: ArchiveKey.size), size >= 0,
      let created = coder.date(forKey: ArchiveKey.creationDate).flatMap(Microseconds.of),
      let metadata = coder.metadata(forKey: ArchiveKey.metadata)
    else { return nil }
    objectMetadata = metadata.object
    record = AttachmentRecord(
      uuid: identifier, name: name, contentType: contentType, size: size, created: created,
      metadata: metadata.object?.encoded)
  }

  private enum ArchiveKey {
    static let identifier = "identifier"
    static let name = "name"
    static let contentType = "contentType"
    static let size = "size"
    static let creationDate = "creationDate"
    static let metadata = "metadata"
  }
}
