package import Foundation

/// A file attached to a sample, without its contents.
package struct AttachmentRecord: Hashable, Sendable {
  package var uuid: UUID
  /// The file name given by the application.
  package var name: String
  /// The type of the content, as a uniform type identifier.
  package var contentType: String
  /// The size in bytes.
  package var size: Int
  /// When the attachment was added, in microseconds since 1970.
  package var created: Int64
  package var metadata: EncodedMetadata?

  package init(
    uuid: UUID, name: String, contentType: String, size: Int, created: Int64, metadata: EncodedMetadata?
  ) {
    self.uuid = uuid
    self.name = name
    self.contentType = contentType
    self.size = size
    self.created = created
    self.metadata = metadata
  }

  /// The size of a piece in bytes. The contents are stored in pieces, one per row; only the last may be
  /// smaller.
  package static let pieceSize = 262_144

  /// Returns the number of bytes of the piece at an index; 0 beyond the end.
  package func length(ofPiece index: Int) -> Int {
    guard index >= 0, index <= size / Self.pieceSize else { return 0 }
    return min(Self.pieceSize, size - index * Self.pieceSize)
  }
}
