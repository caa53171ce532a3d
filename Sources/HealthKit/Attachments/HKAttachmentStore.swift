public import Foundation
public import UniformTypeIdentifiers

/// The files that belong to objects of a health store.
///
/// A file is attached to a prescription that the same program saved, and may be read by whoever may read the
/// prescription. It is deleted with it, and stays where a greater sync version takes the prescription's
/// place.
// @unchecked: open as Apple's class is, but its state is `let` and Sendable.
open class HKAttachmentStore: NSObject, @unchecked Sendable {
  private let store: HKHealthStore

  public init(healthStore: HKHealthStore) {
    store = healthStore
  }

  // MARK: - Adding

  /// Copies a file into the store.
  /// - Parameters:
  ///   - object: an `HKVisionPrescription` that this program saved.
  ///   - name: for a person.
  ///   - contentType: a picture that does not move, or PDF.
  ///   - url: of a file on this host, of no more than 50 MB.
  ///   - metadata: values are String, NSNumber or Date.
  /// - Throws: `HKError`: errorInvalidArgument for another object, type or metadata, for what is no file or
  ///   cannot be read, and if the object has a hundred attachments; errorDataSizeExceeded;
  ///   errorAuthorizationDenied for an object that is not stored or another source's, and if the user does
  ///   not let this program save such objects; errorAuthorizationNotDetermined.
  public func addAttachment(
    to object: HKObject, name: String, contentType: UTType, url: URL, metadata: [String: Any] = [:]
  ) async throws -> HKAttachment {
    // The dictionary must not cross threads; what was checked may.
    try await store.attach(NewAttachment(name, contentType, url, metadata), to: object)
  }

  /// As the asynchronous form; the handler runs on a background queue.
  @preconcurrency
  public func addAttachment(
    to object: HKObject, name: String, contentType: UTType, url: URL, metadata: [String: Any] = [:],
    completion: @escaping @Sendable (HKAttachment?, (any Error)?) -> Void
  ) {
    let attachment = NewAttachment(name, contentType, url, metadata)
    Task {
      do {
        completion(try await store.attach(attachment, to: object), nil)
      } catch {
        completion(nil, error)
      }
    }
  }

  // MARK: - Reading

  /// The attachments of an object, in the order in which they were added. None of one that is not stored or
  /// may not be read.
  /// - Throws: `HKError`, errorAuthorizationNotDetermined if the user was not asked about such objects.
  public func attachments(for object: HKObject) async throws -> [HKAttachment] {
    try await store.attachments(of: object)
  }

  /// As `attachments(for:)`; the handler runs on a background queue.
  @preconcurrency
  public func getAttachments(
    for object: HKObject, completion: @escaping @Sendable ([HKAttachment]?, (any Error)?) -> Void
  ) {
    Task {
      do {
        completion(try await attachments(for: object), nil)
      } catch {
        completion(nil, error)
      }
    }
  }

  public func dataReader(for attachment: HKAttachment) -> HKAttachmentDataReader {
    HKAttachmentDataReader(attachment, in: store)
  }

  /// Reads all bytes; the handler runs on a background queue.
  /// - Returns: how far it has come. To cancel it ends the reading with an error.
  @preconcurrency @discardableResult
  public func getData(
    for attachment: HKAttachment, completion: @escaping @Sendable (Data?, (any Error)?) -> Void
  ) -> Progress {
    reading(attachment) { pieces in
      do {
        completion(try await pieces.data(), nil)
      } catch {
        completion(nil, error)
      }
    }
  }

  /// Reads the bytes piece by piece; the handler runs on a background queue.
  /// - Parameter dataHandler: called for each piece, the last time with true. With an error there are no
  ///   bytes, and no call follows.
  /// - Returns: how far it has come. To cancel it ends the reading with an error.
  @preconcurrency @discardableResult
  public func streamData(
    for attachment: HKAttachment, dataHandler: @escaping @Sendable (Data?, (any Error)?, Bool) -> Void
  ) -> Progress {
    reading(attachment) { pieces in
      do {
        var piece = try await pieces.piece(at: 0) ?? Data()
        var place = 1
        while let following = try await pieces.piece(at: place) {
          dataHandler(piece, nil, false)
          piece = following
          place += 1
        }
        dataHandler(piece, nil, true)
      } catch {
        dataHandler(nil, error, true)
      }
    }
  }

  private func reading(
    _ attachment: HKAttachment, _ work: @escaping @Sendable (AttachmentPieces) async -> Void
  ) -> Progress {
    let progress = Progress(totalUnitCount: Int64(attachment.size))
    let pieces = AttachmentPieces(attachment, in: store, reportingTo: progress)
    let task = Task { await work(pieces) }
    progress.cancellationHandler = { task.cancel() }
    return progress
  }

  // MARK: - Removing

  /// Deletes an attachment of an object that this program saved.
  /// - Throws: `HKError`: errorInvalidArgument if the object has no such attachment; errorAuthorizationDenied
  ///   and errorAuthorizationNotDetermined as for adding one.
  public func removeAttachment(_ attachment: HKAttachment, from object: HKObject) async throws {
    try await store.detach(attachment, from: object)
  }

  /// As the asynchronous form; the handler runs on a background queue.
  @preconcurrency
  public func removeAttachment(
    _ attachment: HKAttachment, from object: HKObject,
    completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    store.report(to: completion) { try await self.removeAttachment(attachment, from: object) }
  }
}
