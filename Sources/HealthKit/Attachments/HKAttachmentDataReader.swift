public import Foundation
import HealthStorage

/// Reads the bytes of an attachment, either all at once or one by one.
// @unchecked: its state is `let`, and Foundation's Progress can be used from any thread.
public final class HKAttachmentDataReader: @unchecked Sendable {
  /// The attachment that is read.
  public let attachment: HKAttachment
  /// The number of bytes read so far.
  public let progress: Progress
  private let pieces: AttachmentPieces

  init(_ attachment: HKAttachment, in store: HKHealthStore) {
    self.attachment = attachment
    progress = Progress(totalUnitCount: Int64(attachment.size))
    pieces = AttachmentPieces(attachment, in: store, reportingTo: progress)
  }

  /// All bytes at once. Use `bytes` for a large file.
  /// - Throws: `HKError.errorNoData` if the attachment is not in the store or not readable;
  ///   `CancellationError` if the task was cancelled.
  public var data: Data {
    get async throws { try await pieces.data() }
  }

  /// The bytes one by one, with at most 256 KiB in memory.
  public var bytes: HKAttachment.AsyncBytes { HKAttachment.AsyncBytes(pieces: pieces) }
}

/// Reads an attachment in chunks and updates a `Progress`.
struct AttachmentPieces: Sendable {
  private let store: HKHealthStore
  private let record: AttachmentRecord
  private let progress: ReportedProgress

  init(_ attachment: HKAttachment, in store: HKHealthStore, reportingTo progress: Progress) {
    self.store = store
    record = attachment.record
    self.progress = ReportedProgress(progress: progress)
  }

  /// Returns the chunk with an index, or nil after the last chunk.
  /// - Throws: `HKError.errorNoData` if the attachment is not in the store or not readable;
  ///   `CancellationError` if the task was cancelled.
  func piece(at place: Int) async throws -> Data? {
    try Task.checkCancellation()
    let length = record.length(ofPiece: place)
    guard length > 0 else { return nil }
    let piece = try await HKError.translating {
      try await store.admit(.read([]))
        .piece(place, ofAttachment: record.uuid, protection: ObjectTypes.protection)
    }
    guard let piece else { throw HKError(.errorNoData, reason: "the attachment is not in the store") }
    guard piece.count == length else {
      throw HKError(.unknownError, reason: "the bytes of an attachment are damaged; restore a backup")
    }
    progress.progress.completedUnitCount = Int64(place * AttachmentRecord.pieceSize + length)
    return piece
  }

  /// Returns the whole attachment.
  /// - Throws: The errors of `piece(at:)`.
  func data() async throws -> Data {
    var data = Data()
    var place = 0
    while let piece = try await piece(at: place) {
      data.append(piece)
      place += 1
    }
    return data
  }

  // @unchecked: Foundation's Progress is thread-safe but not declared Sendable on Linux.
  private struct ReportedProgress: @unchecked Sendable {
    let progress: Progress
  }
}

extension HKAttachment {
  /// The bytes of an attachment as an asynchronous sequence. At most 256 KiB are in memory at a time.
  public struct AsyncBytes: AsyncSequence, Sendable {
    public typealias Element = UInt8

    let pieces: AttachmentPieces

    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(pieces: pieces)
    }

    /// Iterates over the bytes. Throws `HKError.errorNoData` if the attachment is not in the store or not
    /// readable.
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
