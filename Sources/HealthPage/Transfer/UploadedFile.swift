import Foundation
import Glibc

/// A large request body in a private temporary file.
///
/// The file has no name: no other program can open it, and it is gone when this object is.
final class UploadedFile: Sendable {
  /// Maximum size in bytes. An export of ten years of a watch has about 2 GB in its zip.
  static let maximumSize = 8 << 30
  /// Space in bytes that stays free on the disk.
  private static let spareRoom = 64 << 20

  private let descriptor: Int32
  private let maximumSize: Int
  private let slot: RequestLimit.Slot

  /// - Parameters:
  ///   - folder: Where the file is created.
  ///   - size: The announced size in bytes; `nil` if it is not known.
  /// - Throws: ``PageError`` if there is no room for it.
  init(
    in folder: String, size: Int?, maximumSize: Int = UploadedFile.maximumSize, _ limit: RequestLimit
  ) throws(PageError) {
    slot = try limit.slot()
    self.maximumSize = maximumSize
    guard size ?? 0 <= maximumSize else { throw .tooLargeUpload(maximumSize) }
    if let size, let free = DiskSpace.free(at: folder), size > free - Self.spareRoom { throw .diskFull }
    var template = Array("\(folder)/.hrgate-upload-XXXXXX".utf8CString)
    // With the mode 0600.
    let created = mkstemp(&template)
    guard created >= 0 else {
      throw .store("The file cannot be received: \(String(cString: strerror(errno))).")
    }
    unlink(template)
    _ = fcntl(created, F_SETFD, FD_CLOEXEC)
    descriptor = created
  }

  deinit { close(descriptor) }

  /// A path at which this process can open the file, from its beginning.
  var path: String { "/proc/self/fd/\(descriptor)" }

  /// The number of bytes received.
  var size: Int {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Appends bytes.
  /// - Throws: ``PageError`` if the file gets too large or the disk is full.
  func append(_ bytes: UnsafeRawBufferPointer) throws(PageError) {
    guard size + bytes.count <= maximumSize else { throw .tooLargeUpload(maximumSize) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = UnsafeRawBufferPointer(rebasing: rest).withMemoryRebound(to: UInt8.self) {
        Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        throw errno == ENOSPC || errno == EDQUOT
          ? .diskFull : .store("The file cannot be received: \(String(cString: strerror(errno))).")
      }
      rest = rest.dropFirst(count)
    }
  }
}

/// Space on the disk of a folder.
enum DiskSpace {
  /// In bytes; `nil` if it is not known.
  static func free(at folder: String) -> Int? {
    var status = statvfs()
    guard statvfs(folder, &status) == 0 else { return nil }
    return Int(clamping: UInt64(status.f_bavail) &* UInt64(status.f_frsize))
  }
}

extension PageError {
  static let diskFull = PageError(
    status: .serviceUnavailable, word: "disk", message: "There is not enough space on the disk for this file."
  )

  static func tooLargeUpload(_ maximumSize: Int) -> PageError {
    PageError(
      status: .contentTooLarge, word: "too-large",
      message: "A file may have \(maximumSize >> 20) MB here: import a larger one with hrgate import.")
  }
}
