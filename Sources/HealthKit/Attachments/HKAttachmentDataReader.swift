public import Foundation

/// Reads the bytes of an attachment, whole or one after the other.
// @unchecked: its state is `let`, and Foundation's Progress can be used from any thread.
public final class HKAttachmentDataReader: @unchecked Sendable {
  public let attachment: HKAttachment
  /// How many of the bytes have been read.
  public let progress: Progress
  private let pieces: AttachmentPieces

  init(_ attachment: HKAttachment, in store: HKHealthStore) {
    self.attachment = attachment
    progress = Progress(totalUnitCount: Int64(attachment.size))
    pieces = AttachmentPieces(attachment, in: store, reportingTo: progress)
  }

  /// All bytes at once. For a large file prefer `bytes`.
  /// - Throws: `HKError`, errorNoData if the attachment is not in the store, or may not be read;
  ///   `CancellationError` if the task was cancelled.
  public var data: Data {
    get async throws { try await pieces.data() }
  }

  public var bytes: HKAttachment.AsyncBytes { HKAttachment.AsyncBytes(pieces: pieces) }
}
