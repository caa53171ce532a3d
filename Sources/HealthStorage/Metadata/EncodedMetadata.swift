/// A metadata dictionary and its encoding. Equal dictionaries have equal bytes, so they are stored once.
///
/// It is a class, so that all samples of a monitor share one object, which is validated, encoded and looked
/// up once.
package final class EncodedMetadata: Sendable {
  package let values: [String: MetadataValue]
  /// The sync identifier and version; `nil` if there are none, and always for metadata that was read from the
  /// store.
  package let sync: Sync?
  /// The encoding by `MetadataCodec`.
  let bytes: [UInt8]

  package struct Sync: Hashable, Sendable {
    package var identifier: String
    package var version: Int64

    package init(identifier: String, version: Int64) {
      self.identifier = identifier
      self.version = version
    }
  }

  package init(_ values: [String: MetadataValue], sync: Sync? = nil) {
    self.values = values
    self.sync = sync
    bytes = MetadataCodec.encode(values)
  }

  init(decoding bytes: [UInt8]) throws(StorageError) {
    guard let values = MetadataCodec.decode(bytes) else { throw .damagedMetadata }
    self.values = values
    self.bytes = bytes
    sync = nil
  }
}

extension EncodedMetadata: Hashable {
  package static func == (left: EncodedMetadata, right: EncodedMetadata) -> Bool {
    left === right || left.bytes == right.bytes
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}
