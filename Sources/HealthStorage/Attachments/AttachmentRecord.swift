package import Foundation

/// A file that belongs to a sample, without its bytes.
package struct AttachmentRecord: Hashable, Sendable {
  package var uuid: UUID
  /// As its maker calls it.
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

  /// How many bytes lie in a row; in the last one what is left.
  package static let pieceSize = 262_144

  /// How many bytes lie at a place; 0 behind the end.
  package func length(ofPiece place: Int) -> Int {
    guard place >= 0, place <= size / Self.pieceSize else { return 0 }
    return min(Self.pieceSize, size - place * Self.pieceSize)
  }
}
