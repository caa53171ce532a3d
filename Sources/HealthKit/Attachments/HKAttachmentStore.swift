public import Foundation
public import UniformTypeIdentifiers

/// The attachments of the objects in a health store.
///
/// A program can attach files to a prescription that it saved itself. Every program that may read the
/// prescription may read its attachments. An attachment is deleted with its prescription, but kept if a
/// sample with a higher sync version replaces the prescription.
// @unchecked: the class is open, like Apple's. All state is `let` and Sendable.
open class HKAttachmentStore: NSObject, @unchecked Sendable {
  private let store: HKHealthStore

  /// Creates an attachment store for the objects of a health store.
  public init(healthStore: HKHealthStore) {
    store = healthStore
  }

  // MARK: - Adding

  /// Copies a file into the store and attaches it to an object.
  /// - Parameters:
  ///   - object: An `HKVisionPrescription` that this program saved.
  ///   - name: A name to show to the user.
  ///   - contentType: A still image type or PDF.
  ///   - url: The URL of a local file of at most 50 MB.
  ///   - metadata: Values are String, NSNumber or Date.
  /// - Throws: `HKError`:
  ///   - errorInvalidArgument if the object, content type or metadata is not supported, if the file cannot be
  ///     read, or if the object already has 100 attachments.
  ///   - errorDataSizeExceeded if the file is larger than 50 MB.
  ///   - errorAuthorizationDenied if the object is not stored or belongs to another source, or if the user
  ///     does not allow this program to save such objects.
  ///   - errorAuthorizationNotDetermined if the user was not asked.
  public func addAttachment(
    to object: HKObject, name: String, contentType: UTType, url: URL, metadata: [String: Any] = [:]
  ) async throws -> HKAttachment {
    // Pass the checked metadata in `NewAttachment`, because the dictionary itself is not Sendable.
    try await store.attach(NewAttachment(name, contentType, url, metadata), to: object)
  }

  /// Copies a file into the store and attaches it to an object. The handler runs on a background queue.
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

  /// Returns the attachments of an object in the order in which they were added. Returns an empty array if
  /// the object is not stored or not readable.
  /// - Throws: `HKError.errorAuthorizationNotDetermined` if the user was not asked about such objects.
  public func attachments(for object: HKObject) async throws -> [HKAttachment] {
    try await store.attachments(of: object)
  }

  /// Reads the attachments of an object. The handler runs on a background queue.
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

  /// Returns a reader for the bytes of an attachment.
  public func dataReader(for attachment: HKAttachment) -> HKAttachmentDataReader {
    HKAttachmentDataReader(attachment, in: store)
  }

  /// Reads all bytes of an attachment. The handler runs on a background queue.
  /// - Returns: The progress. Cancel it to stop with an error.
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

  /// Reads an attachment chunk by chunk. The handler runs on a background queue.
  /// - Parameter dataHandler: Called once per chunk. The last argument is true for the last chunk. On an
  ///   error the data is nil, and no further call follows.
  /// - Returns: The progress. Cancel it to stop with an error.
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
  ///   and errorAuthorizationNotDetermined for the same reasons as
  ///   `addAttachment(to:name:contentType:url:metadata:)`.
  public func removeAttachment(_ attachment: HKAttachment, from object: HKObject) async throws {
    try await store.detach(attachment, from: object)
  }

  /// Deletes an attachment of an object that this program saved. The handler runs on a background queue.
  @preconcurrency
  public func removeAttachment(
    _ attachment: HKAttachment, from object: HKObject,
    completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    store.report(to: completion) { try await self.removeAttachment(attachment, from: object) }
  }
}
