import Foundation

extension HKAttachment {
  /// The bytes of an attachment, one after the other. No more than a quarter of a megabyte is in memory.
  public struct AsyncBytes: AsyncSequence, Sendable {
    public typealias Element = UInt8

    let pieces: AttachmentPieces

    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(pieces: pieces)
    }

    /// Throws `HKError`, errorNoData if the attachment is not in the store, or may not be read.
    public struct AsyncIterator: AsyncIteratorProtocol {
      fileprivate let pieces: AttachmentPieces
      private var piece = Data()
      private var next = 0
      private var place = 0

      fileprivate init(pieces: AttachmentPieces) {
        self.pieces = pieces
      }

      public mutating func next() async throws -> UInt8? {
        if next == piece.count {
          guard let following = try await pieces.piece(at: place) else { return nil }
          piece = following
          next = 0
          place += 1
        }
        defer { next += 1 }
        return piece[piece.startIndex + next]
      }
    }
  }
}
