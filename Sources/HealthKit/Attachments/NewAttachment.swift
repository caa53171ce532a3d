import Foundation
import HealthStorage
import UniformTypeIdentifiers

/// A file to attach. Its metadata has been checked; the file itself is read later.
struct NewAttachment: Sendable {
  /// Maximum size in bytes and maximum number per object. Apple does not publish its limits; a photograph
  /// takes a few megabytes.
  static let greatestSize = 50_000_000
  static let greatestCount = 100

  private let name: String
  private let contentType: UTType
  private let url: URL
  private let metadata: Result<ObjectMetadata?, HKError>

  init(_ name: String, _ contentType: UTType, _ url: URL, _ metadata: [String: Any]) {
    self.name = name
    self.contentType = contentType
    self.url = url
    self.metadata = Result { () throws(HKError) in try Self.checked(metadata) }
  }

  private static func checked(_ metadata: [String: Any]) throws(HKError) -> ObjectMetadata? {
    guard !metadata.isEmpty else { return nil }
    do throws(HKValidationError) {
      let checked = try ObjectMetadata(metadata)
      for case (let key, .quantity) in checked.encoded.values {
        throw HKValidationError("metadata value for \(key) is a quantity, which attachments do not support")
      }
      return checked
    } catch {
      throw HKError(invalid: error)
    }
  }

  /// Reads the file. Returns the record and the bytes to store.
  /// - Throws: errorInvalidArgument, errorDataSizeExceeded.
  func read() throws(HKError) -> (record: AttachmentRecord, bytes: Data) {
    let metadata = try metadata.get()
    guard contentType == .pdf || contentType.conforms(to: .image) && contentType != .gif else {
      throw HKError(
        .errorInvalidArgument, reason: "\(contentType) cannot be attached: only images and PDF can")
    }
    let bytes = try bytes()
    let record = AttachmentRecord(
      uuid: UUID(), name: name, contentType: contentType.identifier, size: bytes.count,
      created: Microseconds.clamped(Date()), metadata: metadata?.encoded)
    return (record, bytes)
  }

  private func bytes() throws(HKError) -> Data {
    guard url.isFileURL else {
      throw HKError(.errorInvalidArgument, reason: "\(url) is not the URL of a file on this host")
    }
    let path = url.resolvingSymlinksInPath().path
    do {
      // Accept only regular files, because reading from a pipe could block forever.
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      guard attributes[.type] as? FileAttributeType == .typeRegular else {
        throw HKError(.errorInvalidArgument, reason: "\(path) is not a regular file")
      }
      let file = try FileHandle(forReadingFrom: URL(filePath: path))
      defer { try? file.close() }
      let bytes = try file.read(upToCount: Self.greatestSize + 1) ?? Data()
      guard bytes.count <= Self.greatestSize else {
        throw HKError(
          .errorDataSizeExceeded,
          reason: "\(path) is too large: an attachment has at most \(Self.greatestSize / 1_000_000) MB")
      }
      return bytes
    } catch let error as HKError {
      throw error
    } catch {
      throw HKError(.errorInvalidArgument, reason: "\(path) cannot be read: \(error.localizedDescription)")
    }
  }
}
