/// A metadata dictionary in its one canonical form: equal dictionaries have equal bytes and are stored once.
///
/// An object, so that all samples of one monitor share it: it is validated, encoded and looked up once.
package final class EncodedMetadata: Sendable {
  package let values: [String: MetadataValue]
  /// What makes a later object replace this one; nil also for metadata that comes from the store.
  package let sync: Sync?
  /// What `MetadataCodec` wrote.
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

  init(decoding bytes: [UInt8]) throws(StorageFailure) {
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
