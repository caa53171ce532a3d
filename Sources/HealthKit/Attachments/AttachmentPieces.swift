import Foundation
import HealthStorage

/// Reads an attachment piece by piece, and tells how far it has come.
struct AttachmentPieces: Sendable {
  private let store: HKHealthStore
  private let record: AttachmentRecord
  private let progress: ReportedProgress

  init(_ attachment: HKAttachment, in store: HKHealthStore, reportingTo progress: Progress) {
    self.store = store
    record = attachment.record
    self.progress = ReportedProgress(progress: progress)
  }

  /// - Returns: nil behind the end.
  /// - Throws: `HKError`, errorNoData if the attachment is not in the store, or may not be read;
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

  /// All of it.
  func data() async throws -> Data {
    var data = Data()
    var place = 0
    while let piece = try await piece(at: place) {
      data.append(piece)
      place += 1
    }
    return data
  }

  // @unchecked: Foundation's class can be used from any thread, and does not say so on Linux.
  private struct ReportedProgress: @unchecked Sendable {
    let progress: Progress
  }
}
