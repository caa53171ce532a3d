import Foundation
import Glibc

/// A large request body in a private temporary file.
///
/// The file has no name, so no other program can open it. It is deleted when this object is released.
final class UploadedFile: Sendable {
  /// Maximum size of an upload in bytes. The archive of ten years of data from a watch has about 2 GB.
  static let maximumSize = 8 << 30
  /// Number of bytes that must stay free on the disk.
  private static let spareRoom = 64 << 20

  private let descriptor: Int32
  private let maximumSize: Int
  private let slot: RequestLimit.Slot

  /// Creates an empty file.
  /// - Parameters:
  ///   - folder: The directory in which the file is created.
  ///   - size: The announced size in bytes; `nil` if unknown.
  /// - Throws: ``PageError`` if there is not enough space.
  init(
    in folder: String, size: Int?, maximumSize: Int = UploadedFile.maximumSize, _ limit: RequestLimit
  ) throws(PageError) {
    slot = try limit.slot()
    self.maximumSize = maximumSize
    guard size ?? 0 <= maximumSize else { throw .tooLargeUpload(maximumSize) }
    if let size, let free = DiskSpace.free(at: folder), size > free - Self.spareRoom { throw .diskFull }
    var template = Array("\(folder)/.hrgate-upload-XXXXXX".utf8CString)
    // mkstemp creates the file with mode 0600, so no other user can open it.
    let created = mkstemp(&template)
    guard created >= 0 else {
      throw .store("The uploaded file cannot be stored: \(String(cString: strerror(errno))).")
    }
    unlink(template)
    _ = fcntl(created, F_SETFD, FD_CLOEXEC)
    descriptor = created
  }

  deinit { close(descriptor) }

  /// A path by which this process can open the file and read it from the beginning.
  var path: String { "/proc/self/fd/\(descriptor)" }

  /// The number of bytes received.
  var size: Int {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Appends bytes.
  /// - Throws: ``PageError`` if the file becomes too large or the disk is full.
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
          ? .diskFull : .store("The uploaded file cannot be stored: \(String(cString: strerror(errno))).")
      }
      rest = rest.dropFirst(count)
    }
  }
}

/// The free space on disks.
enum DiskSpace {
  /// Returns the free space in bytes on the disk of a directory; `nil` if unknown.
  static func free(at folder: String) -> Int? {
    var status = statvfs()
    guard statvfs(folder, &status) == 0 else { return nil }
    return Int(clamping: UInt64(status.f_bavail) &* UInt64(status.f_frsize))
  }
}

extension PageError {
  static let diskFull = PageError(
    status: .serviceUnavailable, word: "disk",
    message: "There is not enough space on the disk for this file. Free some space and try again."
  )

  static func tooLargeUpload(_ maximumSize: Int) -> PageError {
    PageError(
      status: .contentTooLarge, word: "too-large",
      message: "A file may have \(maximumSize >> 20) MB here: import a larger one with hrgate import.")
  }
}
