package import Foundation

/// A file attached to a sample, without its contents.
package struct AttachmentRecord: Hashable, Sendable {
  package var uuid: UUID
  /// The file name given by the application.
  package var name: String
  /// A uniform type identifier.
  package var contentType: String
  /// In bytes.
  package var size: Int
  /// Microseconds since 1970.
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

  /// The number of bytes per row; the last row has the remainder.
  package static let pieceSize = 262_144

  /// Returns the number of bytes of a piece; 0 beyond the end.
  package func length(ofPiece place: Int) -> Int {
    guard place >= 0, place <= size / Self.pieceSize else { return 0 }
    return min(Self.pieceSize, size - place * Self.pieceSize)
  }
}
